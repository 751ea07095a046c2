/** The arguments of a delegation, as a model writes them. */
import { z } from 'zod'
import type { ToolCall } from '../message.ts'
import { toJsonSchema } from '../schemas/to-json-schema.ts'
import { once } from '../values/once.ts'

/** The arguments of every `agent-<key>` tool. `null` means "not given": many models fill in every field. */
const offeredArgsSchema = once(() =>
  z.object({
    prompt: z
      .string()
      .min(1)
      .describe('The complete task for the agent; it sees this and the conversation so far'),
    threadId: z.string().nullish().describe('A conversation thread to go on with'),
    resourceId: z.string().nullish().describe('The user or entity that the thread belongs to'),
    instructions: z.string().nullish().describe('Additional instructions for the agent'),
    maxSteps: z
      .number()
      .int()
      .min(3)
      .nullish()
      .describe('The most steps that the agent may take, at least 3'),
    files: z
      .array(z.string())
      .nullish()
      .describe('The names of files in the conversation that the agent is given'),
  }),
)

/** As the library reads them: something else than names of files counts as not given. */
export const delegationArgsSchema = once(() => {
  const offered = offeredArgsSchema()
  return offered.extend({ files: offered.shape.files.catch(null) })
})

export type DelegationArgs = z.output<ReturnType<typeof delegationArgsSchema>>

/** Whether the call of a delegation names files. */
export function namesFiles({ args }: Pick<ToolCall, 'args'>): boolean {
  const read = delegationArgsSchema().safeParse(args)
  return read.success && read.data.files != null && read.data.files.length > 0
}

export const delegation = once(() => ({ inputSchema: delegationArgsSchema() }))

/** A model reads of `files` only where its conversation has some. */
export const delegationParameters = {
  text: once(() => toJsonSchema(offeredArgsSchema().omit({ files: true }), 'delegation')),
  files: once(() => toJsonSchema(offeredArgsSchema(), 'delegation')),
}
