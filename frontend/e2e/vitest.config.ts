import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['**/*.e2e.ts'],
    root: import.meta.dirname,
    environment: 'node',
    maxWorkers: 1,
    fileParallelism: false,
    testTimeout: 240_000,
    hookTimeout: 60_000,
    // Waits are bounded, and generous: nothing passes or fails by being quick.
    expect: { poll: { timeout: 30_000 } },
  },
});
