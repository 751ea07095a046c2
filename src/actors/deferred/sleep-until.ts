/** A tool by which a model waits for a moment. The run is held until then, on record, and in no memory. */
import { z } from 'zod'
import { ConfigurationError } from '../../errors.ts'
import { createTool } from '../create-tool.ts'
import { once } from '../values/once.ts'
import type { JsonValue } from '../values/json.ts'
import type { Tool } from '../tool.ts'

/** The result of a sleep. */
export type SleepResult =
  /** The moment has come. */
  | { readonly woke: 'on time'; readonly at: string }
  /** `said`: the data of the answer that ended the sleep. */
  | { readonly woke: 'early'; readonly said: JsonValue }

const schema = /* @__PURE__ */ once(() =>
  z.object({
    until: z.iso.datetime({ offset: true }).describe('The moment, such as 2026-03-02T08:00:00+01:00.'),
    reason: z.string().max(1_000).optional().describe('What you wait for.'),
  }),
)

/**
 * A tool `sleep-until` for the tools of an agent. The call is suspended until the moment that the model names, however far away it
 * is, and the run leaves memory. `run.resume(toolCallId, data)` ends the sleep early with data that the model reads; `deny` and
 * `cancel` end it too. The payload of the suspension is `{ until, reason }`. A model knows the present time by its instructions alone.
 * Throws a `ConfigurationError` for a moment that is given here.
 */
export function sleepUntil(): Tool<SleepResult>
export function sleepUntil(...given: readonly unknown[]): Tool<SleepResult> {
  if (given.length > 0)
    throw new ConfigurationError(
      'sleepUntil() makes a tool, and takes no moment: the model names the moment in its call. A run at a moment is troupe.schedule(agent, prompt, { key, at }).',
    )
  return createTool({
    id: 'sleep-until',
    description:
      'Waits until a moment, and goes on then. It ends sooner where somebody answers: the result has the words. Nothing else happens meanwhile.',
    inputSchema: schema(),
    execute({ until, reason }, call): SleepResult {
      const answer = call.answers.at(-1)
      if (answer === undefined)
        return call.suspend(
          { until, ...(reason === undefined ? {} : { reason }) },
          { until: new Date(until) },
        )
      return answer.woken === true ? { woke: 'on time', at: until } : { woke: 'early', said: answer.data }
    },
  })
}
