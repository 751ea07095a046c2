/** An exploration of a program tries each outcome of a call, and the legs after it follow that outcome. */
import { createTool, type JsonValue } from 'troupe'
import { codeMode } from 'troupe/code-mode'
import { explore, never, returns, sometimes } from 'troupe/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'

const tool = (id: string) =>
  createTool({ id, description: `Gives ${id}.`, inputSchema: z.object({}), execute: (): JsonValue => id })

test('a leg is never that of another branch', async () => {
  const code = codeMode({
    id: 'code',
    tools: { flip: tool('flip'), heads: tool('heads'), tails: tool('tails') },
    retries: 0,
  })
  const report = await explore(code, {
    task: 'const side = await tools.flip({}); return tools[side]({})',
    tools: { flip: [returns('heads'), returns('tails')], heads: [returns('h')], tails: [returns('t')] },
    adversary: { failures: false, cancel: false, crash: false },
    rules: {
      heads: sometimes((run) => run.returned('heads')),
      tails: sometimes((run) => run.returned('tails')),
      one: never((run) => run.returned('heads') && run.returned('tails')),
    },
  })
  report.assert()
  expect(report.isComplete).toBe(true)
})
