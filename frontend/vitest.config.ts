import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  plugins: [react()],
  test: {
    include: ['src/**/*.test.{ts,tsx}', 'test/**/*.test.ts'],
    environment: 'node',
    // One process: the machine that builds this is often small and busy.
    maxWorkers: 1,
    // Not one environment for each file: that was three quarters of the time.
    isolate: false,
    setupFiles: ['test/after.ts'],
    testTimeout: 20_000,
    restoreMocks: true,
  },
});
