import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  plugins: [react()],
  test: {
    include: ['src/**/*.test.{ts,tsx}', 'test/**/*.test.ts'],
    environment: 'node',
    // One process: the machine that builds this is often small and busy.
    maxWorkers: 1,
    testTimeout: 20_000,
    restoreMocks: true,
  },
});
