// What each test leaves to the next one, of whatever file: one process runs all.

import { cleanup } from '@testing-library/react';
import { afterEach, vi } from 'vitest';

afterEach(() => {
  cleanup(); // what stays up draws on, once there is no document left
  vi.useRealTimers();
});
