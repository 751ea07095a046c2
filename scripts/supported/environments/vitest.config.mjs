export default { test: { globals: true, setupFiles: ['./vitest-setup.mjs'], include: ['agent.test.mjs'] } }
