/** The tools of the agents of a process, as its program has them. */
import { createTool, RetryableError, type AgentDefinition, type Tool, type ToolExecution } from 'troupe'
import { z } from 'zod'
import type { Program } from './edits.ts'
import type { Outside } from './effects.ts'
import type { Random } from './random.ts'

const inputSchema = z.object({ q: z.string() })
export const description = 'Does something.'

export function stumble(outside: Outside, random: Random): void {
  if (!random.chance(outside.errors)) return
  throw random.chance(0.5) ? new RetryableError('not now', { retryAfterMs: 100 }) : new Error('broken')
}

type Given = Partial<Parameters<typeof createTool>[0]>

export function createTools(outside: Outside, program: Program): Record<string, Tool> {
  const work = ({ idempotencyKey, runId, signal }: ToolExecution, isRepeated = false): Promise<string> =>
    outside.call({ kind: 'tool', runId, key: idempotencyKey, signal, isRepeated }, (random) => {
      stumble(outside, random)
      return program.has('the body of a tool') ? 'done otherwise' : 'done'
    })
  const tool = (id: string, more: Given = {}) =>
    createTool({ id, description, inputSchema, execute: (_input, execution) => work(execution), ...more })
  const timeout = program.has('a timeout of a tool') ? { timeout: 2_000 } : {}
  const otherwise = program.has('other interruptions')
  const approvalTimeout = program.has('a longer approval') ? 20_000 : 3_000
  const isGuarded = !program.has('no approval any more')
  return {
    plain: tool('plain', {
      description: program.has('the description of a tool') ? 'Does something else.' : description,
      requireApproval: program.has('an approval by a function') ? () => true : program.has('an approval'),
      ...timeout,
    }),
    doubtful: tool('doubtful', {
      onInterrupted: otherwise ? 'retry' : 'ask',
      inputSchema: program.has('a described field')
        ? z.object({ q: z.string().describe('A word.') })
        : inputSchema,
    }),
    fragile: tool('fragile', { onInterrupted: otherwise ? 'ask' : 'fail', ...timeout }),
    guarded: tool('guarded', {
      requireApproval: isGuarded,
      approvalTimeout,
      inputSchema: program.has('a field that is required')
        ? z.object({ q: z.string(), reason: z.string() })
        : inputSchema,
    }),
    ...(!program.has('a tool less') && {
      patient: tool('patient', {
        requireApproval: isGuarded,
        execute: async (_input, execution) => {
          await work(execution, true)
          return execution.resumeData ?? execution.suspend({ which: 'one' })
        },
      }),
    }),
    ...(program.has('a new tool') && { extra: tool('extra') }),
  }
}

/** Tools that begin runs of the clerk. What they return names each run by its place, with its end. */
export function createErrands(outside: Outside, clerk: AgentDefinition): Record<string, Tool> {
  const work = ({ idempotencyKey, runId, signal }: ToolExecution): Promise<boolean> =>
    outside.call({ kind: 'tool', runId, key: idempotencyKey, signal, isRepeated: true }, (random) =>
      random.chance(0.5),
    )
  return {
    errand: createTool({
      id: 'errand',
      description,
      inputSchema,
      timeout: 5_000,
      async execute(_input, execution) {
        await work(execution)
        const { outcome, text } = await execution.start(clerk, 'Do it.', { name: 'one' })
        return { nested: [{ name: 'one', outcome, text }] }
      },
    }),
    errands: createTool({
      id: 'errands',
      description,
      inputSchema,
      async execute(_input, execution) {
        const first = execution.start(clerk, 'Do it.')
        const [one] = await Promise.all([first, work(execution)])
        if (execution.resumeData === undefined) execution.suspend({ which: 'errand' })
        const two = await execution.start(clerk, 'Do more.')
        return {
          nested: [
            { name: 1, outcome: one.outcome, text: one.text },
            { name: 2, outcome: two.outcome, text: two.text },
          ],
        }
      },
    }),
  }
}
