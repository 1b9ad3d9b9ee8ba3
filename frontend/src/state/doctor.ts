// Store of what the doctor found. A run is the back end's: it goes on when the
// page is left, and whoever comes back sees how far it is.

import { create } from 'zustand';
import type { DoctorReport } from '../backend/types.gen.ts';

interface Doctor {
  report: DoctorReport | null;
  error: string;
}

export const useDoctor = create<Doctor>()(() => ({ report: null, error: '' }));

export function takeReport(report: DoctorReport): void {
  useDoctor.setState({ report, error: '' });
}

export function setDoctorFailed(error: string): void {
  useDoctor.setState({ error });
}
