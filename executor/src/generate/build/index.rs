//! Index expressions with bounds, and injective ones.

use super::*;

impl Ranged {
    fn constant(value: i64) -> Ranged {
        Ranged { expr: int(value), low: value, high: value }
    }

    fn of(known: Known) -> Ranged {
        Ranged { expr: read(known.var), low: known.low, high: known.high }
    }

    pub(super) fn plus(self, other: Ranged) -> Ranged {
        if other.low == other.high && matches!(other.expr, Expr::Int(..)) {
            return match other.low {
                0 => self,
                value if value < 0 => Ranged {
                    expr: binary(BinaryOp::Subtract, self.expr, int(-value)),
                    low: self.low + value,
                    high: self.high + value,
                },
                value => Ranged {
                    expr: binary(BinaryOp::Add, self.expr, int(value)),
                    low: self.low + value,
                    high: self.high + value,
                },
            };
        }
        let expr = binary(BinaryOp::Add, self.expr, other.expr);
        Ranged { expr, low: self.low + other.low, high: self.high + other.high }
    }

    pub(super) fn add(self, value: i64) -> Ranged {
        self.plus(Ranged::constant(value))
    }

    fn minus(self, other: Ranged) -> Ranged {
        let expr = binary(BinaryOp::Subtract, self.expr, other.expr);
        Ranged { expr, low: self.low - other.high, high: self.high - other.low }
    }

    fn times(self, other: Ranged) -> Ranged {
        let products = [
            self.low.saturating_mul(other.low),
            self.low.saturating_mul(other.high),
            self.high.saturating_mul(other.low),
            self.high.saturating_mul(other.high),
        ];
        let low = products.iter().copied().fold(i64::MAX, i64::min);
        let high = products.iter().copied().fold(i64::MIN, i64::max);
        if let (Expr::Int(1, _), _) = (&other.expr, ()) {
            return self;
        }
        Ranged { expr: binary(BinaryOp::Multiply, self.expr, other.expr), low, high }
    }

    fn span(&self) -> i64 {
        self.high - self.low + 1
    }
}

impl Builder<'_> {
    /// A number as a literal or in a scalar parameter.
    pub(super) fn number(&mut self, value: i64) -> Ranged {
        if value > 1 && self.random.chance(35) { Ranged::of(self.parameter(value)) } else { Ranged::constant(value) }
    }

    fn some_known(&mut self) -> Ranged {
        if self.known.is_empty() || (!self.parameters.is_empty() && self.random.chance(8)) {
            if self.parameters.is_empty() {
                return Ranged::constant(self.random.between(0, 5));
            }
            let parameters = self.parameters.clone();
            return Ranged::of(self.random.pick(&parameters));
        }
        // Inner variables more often than outer ones.
        let count = self.known.len() as u64;
        let place = self.random.below(count).max(self.random.below(count));
        Ranged::of(self.known[place as usize])
    }

    /// Any integer expression of loop variables and other known ones.
    pub(super) fn arbitrary_index(&mut self, depth: u32) -> Ranged {
        let kind = self.random.below(if depth == 0 { 60 } else { 110 });
        match kind {
            0..22 => self.some_known(),
            22..32 => {
                let value = self.random.between(-2, 4);
                self.some_known().add(value)
            }
            32..46 => {
                let coefficient = self.coefficient();
                let scaled = self.some_known().times(coefficient);
                let rest = self.some_known();
                scaled.plus(rest)
            }
            46..52 => {
                let (a, b) = (self.some_known(), self.some_known());
                let more = self.random.between(0, 2);
                let coefficient = self.coefficient();
                a.add(more).times(coefficient).minus(b)
            }
            52..60 => {
                // Reversed.
                let known = self.some_known();
                let top = self.number(known.high.max(1));
                top.minus(known)
            }
            60..72 => self.remainder(depth),
            72..79 => {
                let of = self.natural_index(depth - 1);
                let divisor = self.random.between(2, 7);
                Ranged {
                    expr: binary(BinaryOp::Divide, of.expr, int(divisor)),
                    low: of.low / divisor,
                    high: of.high / divisor,
                }
            }
            79..84 => {
                let of = self.natural_index(depth - 1);
                let mask = self.random.pick(&[1, 3, 7, 15, 31, 63, 5, 12]);
                Ranged { expr: binary(BinaryOp::And, of.expr, int(mask)), low: 0, high: mask.min(of.high) }
            }
            84..89 => {
                let of = self.natural_index(depth - 1);
                let shift = self.random.between(1, 3);
                if self.random.chance(50) && of.high < 4096 {
                    let expr = binary(BinaryOp::ShiftLeft, of.expr, int(shift));
                    Ranged { expr, low: of.low << shift, high: of.high << shift }
                } else {
                    let expr = binary(BinaryOp::ShiftRight, of.expr, int(shift));
                    Ranged { expr, low: of.low >> shift, high: of.high >> shift }
                }
            }
            89..98 => {
                let condition = self.condition(0);
                let (yes, no) = (self.arbitrary_index(0), self.arbitrary_index(0));
                let (low, high) = (yes.low.min(no.low), yes.high.max(no.high));
                Ranged { expr: choose(condition, yes.expr, no.expr), low, high }
            }
            98..101 => {
                let of = self.natural_index(depth - 1);
                let high = (of.high as u64 + 1).next_power_of_two() as i64;
                Ranged { expr: binary(BinaryOp::Xor, of.expr, int(1)), low: 0, high }
            }
            _ => self.looked_up(depth),
        }
    }

    fn coefficient(&mut self) -> Ranged {
        if !self.parameters.is_empty() && self.random.chance(40) {
            let parameters = self.parameters.clone();
            return Ranged::of(self.random.pick(&parameters));
        }
        let value = self.random.weighted(&[(30, 1), (25, 2), (15, 3), (10, 4), (5, 7), (10, 8), (5, 32)]);
        Ranged::constant(value)
    }

    fn remainder(&mut self, depth: u32) -> Ranged {
        let of = self.natural_index(depth - 1);
        let divisor = self.random.pick(&[2, 3, 4, 5, 7, 8, 10, 16, 17, 33, 64]);
        let divisor = self.number(divisor);
        let high = (divisor.high - 1).min(of.high);
        Ranged { expr: binary(BinaryOp::Remainder, of.expr, divisor.expr), low: 0, high }
    }

    /// An element of an index array.
    pub(super) fn looked_up(&mut self, depth: u32) -> Ranged {
        let (var, below) = if !self.tables.is_empty() && self.random.chance(70) {
            let tables = self.tables.clone();
            self.random.pick(&tables)
        } else if self.tables.len() < 2 {
            let below = self.random.pick(&[4, 16, 60, 100, 127, 120]);
            let ty = self.random.weighted(&[(70, Type::I32), (15, Type::I64), (10, Type::U32), (5, Type::I16)]);
            let fill = Fill::Random { seed: self.random.below(1000), below };
            let spare = self.spare();
            let var = self.array("idx", ty, Layout::Flat, spare, fill);
            self.tables.push((var, below));
            (var, below)
        } else {
            self.tables[0]
        };
        let index = self.natural_index(depth.min(1) - u32::from(depth > 0));
        let expr = Expr::Read(Place { var, index: vec![index.expr], field: None });
        Ranged { expr, low: 0, high: below as i64 - 1 }
    }

    /// An integer expression from 0 on, not too large.
    pub(super) fn natural_index(&mut self, depth: u32) -> Ranged {
        let index = self.arbitrary_index(depth);
        let index = if index.low < 0 {
            let low = index.low;
            index.add(-low)
        } else {
            index
        };
        if index.high < 20_000 {
            return index;
        }
        let divisor = self.random.pick(&[64, 100, 1000, 1024, 2000]);
        Ranged { expr: binary(BinaryOp::Remainder, index.expr, int(divisor)), low: 0, high: divisor - 1 }
    }

    /// A natural index below a limit.
    pub(super) fn index_below(&mut self, limit: u64) -> Expr {
        let index = self.natural_index(1);
        if index.high < limit as i64 {
            return index.expr;
        }
        if limit.is_power_of_two() && self.random.chance(40) {
            return binary(BinaryOp::And, index.expr, int(limit as i64 - 1));
        }
        binary(BinaryOp::Remainder, index.expr, int(limit as i64))
    }

    /// A number that is different in each iteration of one loop, from 0 on.
    fn injective(&mut self, parallel: Parallel) -> Ranged {
        let Parallel { known, step, .. } = parallel;
        let Known { low, high, .. } = known;
        let plain = Ranged::of(known);
        let from_zero = if low == 0 { plain.clone() } else { plain.clone().add(-low) };
        let shifted = if low < 0 { from_zero.clone() } else { plain.clone() };
        if step > 1 && self.random.chance(30) {
            let expr = binary(BinaryOp::Divide, from_zero.expr, int(step as i64));
            return Ranged { expr, low: 0, high: (high - low) / step as i64 };
        }
        let span = high - low + 1;
        match self.random.below(100) {
            0..50 => shifted,
            50..57 => {
                let more = self.random.between(1, 5);
                shifted.add(more)
            }
            57..69 => {
                let more = self.random.weighted(&[(70, 0), (30, 3)]);
                let top = self.number((high + more).max(0));
                if top.high >= high { top.minus(plain) } else { shifted }
            }
            69..74 if low >= 0 => {
                let high = (high as u64 + 1).next_multiple_of(2) as i64 - 1;
                Ranged { expr: binary(BinaryOp::Xor, plain.expr, int(1)), low: 0, high }
            }
            74..80 if low == 0 && span > 2 => {
                // The iterations from k on backwards.
                let k = self.random.between(1, span - 1);
                let back = self.number(high + k).minus(plain.clone());
                let condition = binary(BinaryOp::Less, plain.expr.clone(), int(k));
                Ranged { expr: choose(condition, plain.expr, back.expr), low: 0, high }
            }
            80..85 if low == 0 && span > 1 => {
                let turned = plain.add(self.random.between(1, span - 1));
                let by = self.number(span);
                Ranged { expr: binary(BinaryOp::Remainder, turned.expr, by.expr), low: 0, high }
            }
            85..89 if low >= 0 && high < 4096 => {
                // An odd factor is a permutation of the numbers below a power of two.
                let size = (high as u64 + 1).next_power_of_two() as i64;
                let factor = self.random.pick(&[3, 5, 7, 11]);
                let product = plain.times(Ranged::constant(factor));
                Ranged { expr: binary(BinaryOp::And, product.expr, int(size - 1)), low: 0, high: size - 1 }
            }
            89..92 if low >= 0 && high < 2000 => {
                let expr = binary(BinaryOp::ShiftLeft, plain.expr, int(1));
                Ranged { expr, low: low << 1, high: high << 1 }
            }
            92..97 if high < 1000 => {
                let factor = self.random.pick(&[2, 3, 5, 8]);
                let factor = self.number(factor);
                shifted.times(factor)
            }
            _ => shifted,
        }
    }

    /// A number that is different in each iteration of all parallel loops around, from 0 on.
    pub(super) fn distinct(&mut self) -> Ranged {
        let loops = self.parallel.clone();
        if let [outer, inner] = loops[..]
            && inner.triangular
            && outer.known.low == 0
            && inner.known.low == 0
            && inner.known.high <= outer.known.high
            && self.random.chance(30)
        {
            return packed_triangle(outer.known, inner.known);
        }
        let mut order: Vec<usize> = (0..loops.len()).collect();
        if self.random.chance(30) {
            order.reverse();
        }
        let mut sum: Option<Ranged> = None;
        for place in order {
            let next = self.injective(loops[place]);
            sum = Some(match sum {
                None => next,
                Some(sum) => {
                    let extent = next.high + 1;
                    let extent = if self.random.chance(80) { extent } else { extent + self.random.between(1, 4) };
                    let extent = self.number(extent);
                    sum.times(extent).plus(next)
                }
            });
        }
        sum.unwrap_or_else(|| Ranged::constant(0))
    }

    /// One index per parallel loop, for an array with so many dimensions.
    fn distinct_dims(&mut self) -> Vec<Expr> {
        let loops = self.parallel.clone();
        let mut dims: Vec<Expr> = loops.into_iter().map(|parallel| self.injective(parallel).expr).collect();
        if self.random.chance(40) {
            dims.reverse();
        }
        dims
    }

    /// A new array for the present iterations to store to, with `per` elements for each.
    pub(super) fn target(&mut self, per: u64) -> usize {
        let ty = self.element_type();
        self.typed_target(ty, per)
    }

    pub(super) fn typed_target(&mut self, ty: Type, per: u64) -> usize {
        let fill = self.fill(ty);
        let (layout, part) = match self.random.below(100) {
            0..22 if self.parallel.len() + usize::from(per > 1) > 1 && self.parallel.len() < 3 => {
                let index = self.distinct_dims();
                let dims = index.len() + usize::from(per > 1) - 1;
                (self.row_layout(dims), Part::Dims { index })
            }
            22..40 if (2..=4).contains(&per) => {
                (Layout::Fields { fields: per as u32 }, Part::Fields { base: self.distinct().expr })
            }
            22..55 if per > 1 => {
                let base = self.distinct();
                let bases = (base.high + 1).max(1) as u64;
                (Layout::Flat, Part::Strided { base: base.expr, bases })
            }
            _ => (Layout::Flat, Part::Packed { base: self.distinct().expr }),
        };
        let spare = self.spare();
        let var = self.array("", ty, layout, spare, fill);
        self.outputs.push(var);
        self.targets.push(Target { var, part, per });
        self.targets.len() - 1
    }

    /// A layout with so many dimensions besides the first.
    pub(super) fn row_layout(&mut self, dims: usize) -> Layout {
        // Extents that are variables are known by their position among a kernel's parameters alone, so there is one kernel.
        if self.random.chance(55) || self.generic || self.several_regions {
            return Layout::Rows { inner: vec![1; dims] };
        }
        let extent = |builder: &mut Self| {
            let ty = builder.random.weighted(&[(75, Type::I32), (25, Type::I64)]);
            let name = builder.name("d");
            builder.add(name, ty, Kind::Parameter(Number::Int(1)))
        };
        let outer = self.random.chance(50).then(|| extent(self));
        Layout::Variable { outer, inner: (0..dims).map(|_| extent(self)).collect() }
    }

    /// An element of the present iteration.
    pub(super) fn own_place(&mut self, target: usize, offset: Expr) -> Place {
        let Target { var, part, per } = self.targets[target].clone();
        let zero = matches!(offset, Expr::Int(0, _));
        match part {
            Part::Packed { base } => {
                let scaled = if per > 1 { binary(BinaryOp::Multiply, base, int(per as i64)) } else { base };
                let index = if zero { scaled } else { binary(BinaryOp::Add, scaled, offset) };
                Place { var, index: vec![index], field: None }
            }
            Part::Strided { base, bases } => {
                let index = if zero {
                    base
                } else {
                    let bases = self.number(bases as i64);
                    binary(BinaryOp::Add, binary(BinaryOp::Multiply, offset, bases.expr), base)
                };
                Place { var, index: vec![index], field: None }
            }
            Part::Dims { mut index } => {
                if per > 1 {
                    index.push(offset);
                }
                Place { var, index, field: None }
            }
            Part::Fields { base } => {
                let field = match offset {
                    Expr::Int(field, _) => field as u32,
                    _ => self.random.below(per) as u32,
                };
                Place { var, index: vec![base], field: Some(field) }
            }
        }
    }
}

/// `i * (i + 1) / 2 + j` for j from 0 to i.
fn packed_triangle(outer: Known, inner: Known) -> Ranged {
    let product = binary(BinaryOp::Multiply, read(outer.var), binary(BinaryOp::Add, read(outer.var), int(1)));
    let expr = binary(BinaryOp::Add, binary(BinaryOp::Divide, product, int(2)), read(inner.var));
    Ranged { expr, low: 0, high: outer.high * (outer.high + 1) / 2 + inner.high }
}

impl Ranged {
    /// How many values it may have.
    pub(super) fn values(&self) -> i64 {
        self.span()
    }
}
