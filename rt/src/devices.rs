//! The GPUs that the CUDA driver has, by the numbers that OpenMP gives them.

use ipda_measure::{CudaDriver, GpuDevice};

use crate::openmp::OpenMp;

/// More devices are not looked at.
const MOST: i32 = 64;

/// The GPUs of a machine.
pub(crate) struct Devices {
    driver: Option<CudaDriver>,
    gpus: Vec<GpuDevice>,
}

impl Devices {
    /// None.
    pub(crate) fn none() -> Devices {
        Devices { driver: None, gpus: Vec::new() }
    }

    /// Those of the driver, if there is one.
    pub(crate) fn of_driver() -> Devices {
        let driver = CudaDriver::open().ok();
        let gpus = driver.as_ref().map(CudaDriver::devices).unwrap_or_default();
        Devices { driver, gpus }
    }

    fn are_equal(&self) -> bool {
        self.gpus.iter().all(|gpu| Some(gpu) == self.gpus.first())
    }

    fn of_number(&self, openmp: &OpenMp, number: i32) -> Option<&GpuDevice> {
        self.gpus.get(openmp.gpu(self.driver.as_ref()?, number)?)
    }

    /// The GPU that launches without a device clause go to.
    pub(crate) fn default_gpu(&self) -> Option<&GpuDevice> {
        if self.are_equal() {
            return self.gpus.first();
        }
        let openmp = OpenMp::of_program()?;
        self.of_number(&openmp, openmp.default_device()?)
    }

    /// The first GPU of each other kind than the default one's, with OpenMP's number.
    pub(crate) fn of_other_kinds(&self) -> Vec<(i32, &GpuDevice)> {
        let Some(openmp) = OpenMp::of_program().filter(|_| !self.are_equal()) else { return Vec::new() };
        let default = self.default_gpu();
        let mut others: Vec<(i32, &GpuDevice)> = Vec::new();
        for number in 0..openmp.device_count().min(MOST) {
            let Some(gpu) = self.of_number(&openmp, number) else { continue };
            if Some(gpu) != default && !others.iter().any(|(_, other)| *other == gpu) {
                others.push((number, gpu));
            }
        }
        others
    }
}
