//! Takes the reports for people out of the device images in a host's module, before its object is written: nobody needs them in the program.

use super::binary::Binary;
use super::image::{data_of, embedded};
use super::report::PREFIX;
use inkwell::module::Module;
use object::elf::{FileHeader64, SHT_NULL, SHT_REL, SHT_RELA, SHT_SYMTAB, STT_SECTION, SectionHeader64};
use object::read::elf::{FileHeader, Rela, SectionHeader, SectionTable, Sym, SymbolTable};
use object::{LittleEndian, Object, ObjectSymbol, SectionIndex};
use std::ops::Range;

/// What lies behind a part that is cut moves up by a multiple of this, so that all stays aligned.
const STEP: usize = 256;
/// Where the header of an ELF file of 64 bits says where the headers of its sections are.
const SECTIONS: usize = 0x28;
/// A section's header, and where it has its place in the file, and its size.
const HEADER: usize = 64;
const OFFSET: usize = 24;
const SIZE: usize = 32;
/// A symbol, and where it has what it stands for, and its size.
const SYMBOL: usize = 24;
const VALUE: usize = 8;
const SIZE_OF_SYMBOL: usize = 16;
/// A relocation: the place that it changes comes first.
const RELOCATION: usize = 24;

/// Of all images in the module.
pub(crate) fn forget_reports(module: &Module<'_>) {
    for global in embedded(module) {
        if let Some(without) = global.initializer().and_then(|value| value.string_bytes()).and_then(binaries) {
            global.replace_bytes(&without);
        }
    }
}

/// The binaries without reports; none where they have none.
fn binaries(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut made = Vec::new();
    let mut is_other = false;
    Binary::each(bytes, |binary| {
        let without = image(binary.image).and_then(|image| binary.with_image(&image));
        is_other |= without.is_some();
        made.extend(without.unwrap_or_else(|| binary.bytes.to_vec()));
    });
    is_other.then_some(made)
}

/// The image without reports; none where it has none.
fn image(image: &[u8]) -> Option<Vec<u8>> {
    let file = object::File::parse(image).ok()?;
    let is_report = |symbol: &object::Symbol<'_, '_>| symbol.name().is_ok_and(|name| name.starts_with(PREFIX));
    let mut made = image.to_vec();
    let mut cuts = Vec::new();
    for symbol in file.symbols().filter(is_report) {
        let data = data_of(&file, &symbol)?;
        let at = data.as_ptr().addr() - image.as_ptr().addr();
        let range = at..at + data.len();
        made[range.clone()].fill(0);
        cuts.push(Cut { section: symbol.section_index()?.0, symbol: symbol.index().0, range });
    }
    // The driver's images have one each.
    match &cuts[..] {
        [] => None,
        [only] => only.done(&made).or(Some(made)),
        _ => Some(made),
    }
}

type Sections<'a> = SectionTable<'a, FileHeader64<LittleEndian>>;
type Symbols<'a> = SymbolTable<'a, FileHeader64<LittleEndian>>;

/// A part of a section, which one symbol names.
struct Cut {
    section: usize,
    symbol: usize,
    /// In the file.
    range: Range<usize>,
}

impl Cut {
    /// A file that is to be linked, without as many whole steps of it: what follows moves up. None where the file is not such a one.
    fn done(&self, image: &[u8]) -> Option<Vec<u8>> {
        let header = FileHeader64::<LittleEndian>::parse(image).ok()?;
        // What is to be loaded lies at places that other parts know.
        if header.e_phnum(LittleEndian) != 0 {
            return None;
        }
        let sections = header.sections(LittleEndian, image).ok()?;
        let own = span(sections.section(SectionIndex(self.section)).ok()?)?;
        let table = usize::try_from(header.e_shoff(LittleEndian)).ok()?;
        let moved = self.range.len() / STEP * STEP;
        if table < own.end || sections.iter().any(|section| section.sh_addralign(LittleEndian) > STEP as u64) {
            return None;
        }
        // Offsets in the section of what lies behind.
        let behind = u64::try_from(self.range.end - own.start).ok()?;
        let mut made = Made { bytes: image.to_vec(), behind, moved };
        made.write(SECTIONS, table - moved)?;
        for (number, section) in sections.iter().enumerate() {
            let place = span(section)?;
            let at = table.checked_add(number.checked_mul(HEADER)?)?;
            if number == self.section {
                made.write(at + SIZE, own.len() - moved)?;
            } else if place.start >= own.end {
                made.write(at + OFFSET, place.start - moved)?;
            } else if place.end > own.start && section.sh_type(LittleEndian) != SHT_NULL {
                return None;
            }
        }
        self.move_symbols(&sections, &sections.symbols(LittleEndian, image, SHT_SYMTAB).ok()?, &mut made)?;
        self.move_relocations(image, &sections, &mut made)?;
        made.bytes.drain(self.range.end - moved..self.range.end);
        Some(made.bytes)
    }

    /// Symbols of the section that lie behind move up.
    fn move_symbols(&self, sections: &Sections<'_>, symbols: &Symbols<'_>, made: &mut Made) -> Option<()> {
        let (_, table) =
            sections.iter().enumerate().find(|(_, section)| section.sh_type(LittleEndian) == SHT_SYMTAB)?;
        let table = span(table)?.start;
        for (index, symbol) in symbols.iter().enumerate() {
            if usize::from(symbol.st_shndx(LittleEndian)) != self.section {
                continue;
            }
            let (at, value) = (table + index * SYMBOL, symbol.st_value(LittleEndian));
            if index == self.symbol {
                made.write(at + SIZE_OF_SYMBOL, self.range.len() - made.moved)?;
            } else if value >= made.behind {
                made.write(at + VALUE, usize::try_from(value).ok()? - made.moved)?;
            }
        }
        Some(())
    }

    /// Relocations of places of the section that lie behind move up.
    fn move_relocations(&self, image: &[u8], sections: &Sections<'_>, made: &mut Made) -> Option<()> {
        let symbols = sections.symbols(LittleEndian, image, SHT_SYMTAB).ok()?;
        for section in sections.iter() {
            let at = span(section)?.start;
            match section.sh_type(LittleEndian) {
                SHT_RELA => {}
                SHT_REL => return None,
                _ => continue,
            }
            let (relocations, _) = section.rela(LittleEndian, image).ok()??;
            let changes_own = section.info_link(LittleEndian).0 == self.section;
            for (index, relocation) in relocations.iter().enumerate() {
                let offset = relocation.r_offset(LittleEndian);
                if changes_own && offset >= made.behind {
                    made.write(at + index * RELOCATION, usize::try_from(offset).ok()? - made.moved)?;
                }
                // Counted from the section's begin, a place would be another one.
                let Some(symbol) = relocation.symbol(LittleEndian, false) else { continue };
                let symbol = symbols.symbol(symbol).ok()?;
                let is_own = usize::from(symbol.st_shndx(LittleEndian)) == self.section;
                if is_own && symbol.st_type() == STT_SECTION {
                    return None;
                }
            }
        }
        Some(())
    }
}

/// A file that is made of another one.
struct Made {
    bytes: Vec<u8>,
    /// In the section, what lies there and further on moves up by as many bytes.
    behind: u64,
    moved: usize,
}

impl Made {
    /// Puts a word of 8 bytes in place of another; none where the file ends before.
    fn write(&mut self, at: usize, value: usize) -> Option<()> {
        let place = self.bytes.get_mut(at..at.checked_add(8)?)?;
        place.copy_from_slice(&(value as u64).to_le_bytes());
        Some(())
    }
}

/// Where a section lies in the file.
fn span(section: &SectionHeader64<LittleEndian>) -> Option<Range<usize>> {
    let from = usize::try_from(section.sh_offset(LittleEndian)).ok()?;
    let size = section.file_range(LittleEndian).map_or(0, |(_, size)| size);
    Some(from..from.checked_add(usize::try_from(size).ok()?)?)
}
