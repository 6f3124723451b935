//! What kernels print: the format language of C, over the arguments that clang packs for a device.

use super::context::Context;
use super::memory_access::Trouble;
use crate::program::{LOCAL_WINDOW, Part, SHARED_WINDOW, Window, window_of};

/// The longest text that is read from memory.
const MAX_CHARACTERS: u64 = 1 << 16;

impl<const W: usize> Context<'_, '_, W> {
    /// Prints for one lane; gives the number of arguments, as the device's function does.
    pub(super) fn print(&mut self, stacks: &[Vec<u8>], lane: u32, format: u64, arguments: u64) -> Result<u64, Trouble> {
        let format = self.text(stacks, lane, format)?;
        let mut characters = format.chars().peekable();
        let (mut text, mut at, mut count) = (String::new(), arguments, 0);
        while let Some(character) = characters.next() {
            if character != '%' {
                text.push(character);
                continue;
            }
            if characters.next_if_eq(&'%').is_some() {
                text.push('%');
                continue;
            }
            let mut flags = String::new();
            while let Some(flag) = characters.next_if(|c| "-+ #0123456789.".contains(*c)) {
                flags.push(flag);
            }
            let mut is_long = false;
            while let Some(size) = characters.next_if(|c| "hlzjt".contains(*c)) {
                is_long |= size != 'h';
            }
            let kind = characters.next().unwrap_or('d');
            let is_wide = is_long || "eEfFgGaAsp".contains(kind);
            let bytes = if is_wide { 8 } else { 4 };
            at = at.next_multiple_of(bytes);
            let word = self.word(stacks, lane, at, bytes)?;
            at += bytes;
            count += 1;
            let shown = match kind {
                'd' | 'i' if is_wide => (word as i64).to_string(),
                'd' | 'i' => (word as u32 as i32).to_string(),
                'x' => format!("{word:x}"),
                'X' => format!("{word:X}"),
                'o' => format!("{word:o}"),
                'p' => format!("{word:#x}"),
                'c' => char::from(word as u8).to_string(),
                's' => self.text(stacks, lane, word)?,
                'e' | 'E' => format!("{:e}", f64::from_bits(word)),
                'f' | 'F' | 'g' | 'G' | 'a' | 'A' => {
                    let digits = flags.split_once('.').and_then(|(_, digits)| digits.parse().ok());
                    let number = f64::from_bits(word);
                    if kind == 'g' || kind == 'G' {
                        number.to_string()
                    } else {
                        format!("{number:.*}", digits.unwrap_or(6))
                    }
                }
                _ => word.to_string(),
            };
            let width = flags.split('.').next().unwrap_or_default().trim_start_matches(['-', '+', ' ', '#']);
            let width: usize = width.parse().unwrap_or(0);
            text.push_str(&if flags.starts_with('-') {
                format!("{shown:<width$}")
            } else {
                format!("{shown:>width$}")
            });
        }
        self.output.push_str(&text);
        Ok(count)
    }

    fn text(&self, stacks: &[Vec<u8>], lane: u32, address: u64) -> Result<String, Trouble> {
        let mut bytes = Vec::new();
        for at in address..address + MAX_CHARACTERS {
            match self.word(stacks, lane, at, 1)? {
                0 => break,
                byte => bytes.push(byte as u8),
            }
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn word(&self, stacks: &[Vec<u8>], lane: u32, address: u64, bytes: u64) -> Result<u64, Trouble> {
        let exists = match window_of(address) {
            None => self.memory.find(address, bytes).is_some(),
            Some(Window::Shared) => address - SHARED_WINDOW + bytes <= self.shared.len() as u64,
            Some(Window::Local) => address - LOCAL_WINDOW + bytes <= stacks[lane as usize].len() as u64,
        };
        if !exists {
            let message = format!("printing reads memory at {address:#x} that does not exist");
            return Err(Trouble { message, lane: Some(lane) });
        }
        Ok(self.read(stacks, lane, address, Part { offset: 0, bytes: bytes as u8, bits: bytes as u8 * 8 }))
    }
}
