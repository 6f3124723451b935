//! Writes a text for the assembler with its instructions as bytes. An assembler takes many times as long to read instructions, and each module
//! whose launches decide reads them: they were a third of what that adds to clang's process for the host.

use super::{assembled, check};
use object::read::elf::ElfFile64;
use object::{Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget, SectionFlags, SectionKind, elf};
use std::fmt::Write;
use std::path::Path;

/// Bytes that stand in one line.
const BYTES_OF_LINE: usize = 64;

/// What becomes of a text, with bytes for instructions.
pub(super) fn packed(tools: &Path, host: &str, text: &str, version: &str) -> String {
    let object = assembled(tools, host, text);
    let wanted = Parts::of(&object);
    let packed = wanted.as_text(version);
    check(tools, host, &packed, version);
    let made = assembled(tools, host, &packed);
    assert!(Parts::of(&made) == wanted, "an assembler makes of bytes what it makes of instructions");
    packed
}

/// All that an object has in the group, and what that refers to.
#[derive(PartialEq)]
struct Parts {
    sections: Vec<Section>,
    /// Names of other objects, and whether they need not be there.
    outside: Vec<(String, bool)>,
}

#[derive(PartialEq)]
struct Section {
    name: String,
    flags: &'static str,
    kind: &'static str,
    alignment: u64,
    size: u64,
    /// None where all are 0.
    bytes: Vec<u8>,
    symbols: Vec<Symbol>,
    relocations: Vec<Relocation>,
}

#[derive(PartialEq)]
struct Symbol {
    at: u64,
    name: String,
    kind: &'static str,
    is_weak: bool,
}

#[derive(PartialEq)]
struct Relocation {
    at: u64,
    kind: &'static str,
    target: Target,
    addend: i64,
}

#[derive(PartialEq)]
enum Target {
    Name(String),
    /// The begin of a section, by its place.
    Section(usize),
}

impl Parts {
    fn of(object: &[u8]) -> Parts {
        let file: ElfFile64<'_> = ElfFile64::parse(object).expect("llvm-mc writes ELF");
        let own: Vec<_> = file.sections().filter(|section| has_place(section) && section.size() > 0).collect();
        let name_of = |symbol: &object::read::elf::ElfSymbol64<'_, '_>| symbol.name().expect("it has one").to_owned();
        let place = |index| own.iter().position(|section| section.index() == index).expect("it is of the group");
        let in_section = |section: &object::read::elf::ElfSection64<'_, '_>| {
            let symbols = file.symbols().filter(|symbol| symbol.section_index() == Some(section.index()));
            let mut symbols: Vec<Symbol> = symbols
                .filter(|symbol| symbol.elf_symbol().st_type() != elf::STT_SECTION)
                .map(|symbol| Symbol {
                    at: symbol.address(),
                    name: name_of(&symbol),
                    kind: if symbol.elf_symbol().st_type() == elf::STT_FUNC { "@function" } else { "@object" },
                    is_weak: symbol.is_weak(),
                })
                .collect();
            symbols.sort_by(|a, b| (a.at, &a.name).cmp(&(b.at, &b.name)));
            let relocation = |(at, relocation): (u64, object::Relocation)| {
                let RelocationTarget::Symbol(index) = relocation.target() else { panic!("a relocation has a symbol") };
                let symbol = file.symbol_by_index(index).expect("it is there");
                let target = match symbol.section_index() {
                    Some(index) if symbol.elf_symbol().st_type() == elf::STT_SECTION => Target::Section(place(index)),
                    _ => Target::Name(name_of(&symbol)),
                };
                Relocation { at, kind: relocation_name(relocation.flags()), target, addend: relocation.addend() }
            };
            let (flags, kind) = kind_of(section);
            Section {
                name: section.name().expect("it has one").to_owned(),
                flags,
                kind,
                alignment: section.align(),
                size: section.size(),
                bytes: section.data().expect("they are there").to_owned(),
                symbols,
                relocations: section.relocations().map(relocation).collect(),
            }
        };
        let outside = file.symbols().filter(|symbol| symbol.is_undefined() && symbol.name() != Ok(""));
        let mut outside: Vec<(String, bool)> = outside.map(|symbol| (name_of(&symbol), symbol.is_weak())).collect();
        outside.sort();
        Parts { sections: own.iter().map(in_section).collect(), outside }
    }

    fn as_text(&self, version: &str) -> String {
        let begin = |place: usize| format!(".Lipda{version}_{place}");
        let mut text = format!(".ifndef .Lipda{version}\n.set .Lipda{version}, 1\n.pushsection .text\n");
        for (name, is_weak) in &self.outside {
            text += &format!("\t{}\t{name}\n", if *is_weak { ".weak" } else { ".globl" });
        }
        for (place, section) in self.sections.iter().enumerate() {
            let Section { name, flags, kind, alignment, .. } = section;
            text += &format!("\t.section\t{name},\"{flags}G\",{kind},__ipda_decide{version},comdat\n");
            text += &format!("\t.p2align\t{}\n{}:\n", alignment.ilog2(), begin(place));
            section.write_contents(&mut text);
            for Relocation { at, kind, target, addend } in &section.relocations {
                let target = match target {
                    Target::Name(name) => name.clone(),
                    Target::Section(of) => begin(*of),
                };
                text += &format!("\t.reloc\t{}+{at}, {kind}, {target}{addend:+}\n", begin(place));
            }
        }
        text + ".popsection\n.endif\n"
    }
}

impl Section {
    fn write_contents(&self, text: &mut String) {
        let mut at = 0;
        for symbol in &self.symbols {
            self.write_bytes(text, at, symbol.at);
            at = symbol.at;
            let Symbol { name, kind, is_weak, .. } = symbol;
            if *is_weak {
                *text += &format!("\t.hidden\t{name}\n\t.weak\t{name}\n");
            }
            *text += &format!("\t.type\t{name},{kind}\n{name}:\n");
        }
        self.write_bytes(text, at, self.size);
    }

    fn write_bytes(&self, text: &mut String, from: u64, to: u64) {
        if from == to {
            return;
        }
        if self.bytes.is_empty() {
            *text += &format!("\t.zero\t{}\n", to - from);
            return;
        }
        for line in self.bytes[from as usize..to as usize].chunks(BYTES_OF_LINE) {
            writeln!(text, "\t.ascii\t\"{}\"", quoted(line)).expect("a string takes all");
        }
    }
}

/// Bytes as an assembler reads them between quotation marks, which takes it half as long as numbers do.
fn quoted(bytes: &[u8]) -> String {
    let mut text = String::new();
    for (place, &byte) in bytes.iter().enumerate() {
        let is_digit_next = bytes.get(place + 1).is_some_and(u8::is_ascii_digit);
        match byte {
            b'"' | b'\\' => text.extend(['\\', char::from(byte)]),
            b' '..=b'~' => text.push(char::from(byte)),
            // The digit would be taken for one more of the number.
            _ if is_digit_next => text += &format!("\\{byte:03o}"),
            _ => text += &format!("\\{byte:o}"),
        }
    }
    text
}

fn has_place(section: &object::read::elf::ElfSection64<'_, '_>) -> bool {
    let SectionFlags::Elf { sh_flags } = section.flags() else { panic!("it is ELF's") };
    sh_flags & u64::from(elf::SHF_ALLOC) != 0
}

/// How a section's flags and type are written for an assembler.
fn kind_of(section: &object::read::elf::ElfSection64<'_, '_>) -> (&'static str, &'static str) {
    match section.kind() {
        SectionKind::Text => ("ax", "@progbits"),
        SectionKind::Data => ("aw", "@progbits"),
        SectionKind::UninitializedData => ("aw", "@nobits"),
        SectionKind::ReadOnlyData => ("a", "@progbits"),
        other => panic!("a section of kind {other:?}"),
    }
}

fn relocation_name(flags: RelocationFlags) -> &'static str {
    let RelocationFlags::Elf { r_type } = flags else { panic!("it is ELF's") };
    match r_type {
        elf::R_X86_64_64 => "R_X86_64_64",
        elf::R_X86_64_PC32 => "R_X86_64_PC32",
        elf::R_X86_64_PLT32 => "R_X86_64_PLT32",
        elf::R_X86_64_GOTPCREL => "R_X86_64_GOTPCREL",
        elf::R_X86_64_GOTPCRELX => "R_X86_64_GOTPCRELX",
        elf::R_X86_64_REX_GOTPCRELX => "R_X86_64_REX_GOTPCRELX",
        other => panic!("a relocation of type {other}"),
    }
}
