//! Any text: reading it as a report ends, with a report or a sentence; a report prints as a text that reads back as the same, and its regions
//! can be summed up for predictions.

#![no_main]

use ipda_models::report::Report;
use ipda_models::summary::RegionSummary;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let report = match Report::from_yaml(text) {
        Ok(report) => report,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let printed = report.to_yaml();
    match Report::from_yaml(&printed) {
        Ok(again) => assert_eq!(again, report, "{printed}"),
        Err(error) => panic!("{printed} does not read back: {error}"),
    }
    for region in &report.regions {
        let _ = RegionSummary::from_report(region, &report.hardware);
    }
});
