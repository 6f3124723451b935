// What is known of a region when the program runs: the plugin makes one for each region that may run on the host, the code here and the library
// ipda-rt read it, and change what is marked. `ipda_models::table::Region` says the same in Rust; a test compares them.
#ifndef IPDA_REGION_H
#define IPDA_REGION_H

#include <stdint.h>

struct ipda_region {
  const char *name;           // for people
  struct ipda_region *next;   // changes: the next one in the list of those that were launched
  struct ipda_sums *sums;     // changes: what its launches took, where that is printed at the end
  uint64_t seed;              // changes: what stands for it among what is kept of launches, else 0
  const int32_t *entries;     // of the launch's arrays, to be asked about
  int32_t entry_count;
  int32_t is_listed;          // changes
  const uint8_t *table;       // the decision table, or null
  int64_t table_length;
  const uint64_t *prepared;   // changes: bits of what the prediction needs of machines; the library puts in those of the machines that it finds
  int64_t prepared_count;
  int32_t is_ready;           // changes: whether it was offered to the library, and its prediction spread
  int32_t wants;              // changes: what the library wants: bit 0 to choose among devices, bit 1 to keep what launches took
  void *library;              // changes: the library's own
  const uint8_t *program;     // the prediction within the table (program.h), or null
  uint64_t *memory;           // changes: the last values and their answer, `IPDA_MEMORY` words and one for each value
  int32_t generation;         // changes: goes up with the prepared numbers
  int32_t has_teams;          // whether its host version starts teams
  const char *value_names;    // of the variables that the prediction reads, one after the other
  const char *granted;        // what the prediction takes for granted, in words, or null
  const char *version_names;  // of the versions on the device, by their numbers, one after the other, or null
  uint16_t *steps;            // changes: the prediction's steps as they are evaluated (program.h)
};

#endif
