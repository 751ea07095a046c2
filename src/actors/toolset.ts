/** What one agent offers to its model: tools and subagents by the names that the model sees, with one digest. */
import { z } from 'zod'
import { TerminalError } from '../errors.ts'
import type { ToolDescription } from './chat-model.ts'
import { digestText } from './digest.ts'
import { deepFreeze } from './frozen.ts'
import type { ToolCall } from './message.ts'
import { toJsonSchema, validate, type Validation } from './schema.ts'
import type { Tool } from './tool.ts'

export interface Subagent {
  /** The agent's id. */
  readonly id: string
  readonly description: string
}

export const delegationPrefix = 'agent-'

/** The arguments of every `agent-<key>` tool. `null` stands for "not given": many models fill in every field. */
export const delegationArgsSchema = z.object({
  prompt: z
    .string()
    .min(1)
    .describe('The complete task for the agent; it sees this and the conversation so far'),
  threadId: z.string().nullish().describe('A conversation thread to go on with'),
  resourceId: z.string().nullish().describe('The user or entity that the thread belongs to'),
  instructions: z.string().nullish().describe('Additional instructions for the agent'),
  maxSteps: z.number().int().min(3).nullish().describe('The most steps that the agent may take, at least 3'),
})

export type DelegationArgs = z.output<typeof delegationArgsSchema>

let described: ToolDescription['parameters'] | undefined

/** Made when a subagent is first offered: it is the dearest part of loading this module. */
function delegationParameters(): ToolDescription['parameters'] {
  described ??= toJsonSchema(delegationArgsSchema, 'delegation')
  return described
}

/** Whether a call may run. `asynchronous`: only an effect can tell, the schema answers with a promise. */
export type CallCheck =
  | { readonly status: 'valid'; readonly value: unknown }
  | { readonly status: 'asynchronous' }
  | { readonly status: 'invalid'; readonly problem: string }

export class Toolset {
  readonly tools: ReadonlyMap<string, Tool>
  readonly subagents: ReadonlyMap<string, Subagent>
  readonly descriptions: readonly ToolDescription[]
  readonly digest: string

  constructor(tools: Readonly<Record<string, Tool>>, subagents: Readonly<Record<string, Subagent>> = {}) {
    this.tools = new Map(Object.entries(tools))
    this.subagents = new Map(Object.entries(subagents))
    this.descriptions = deepFreeze([
      ...Array.from(this.tools, ([name, { description, parameters }]) => ({ name, description, parameters })),
      ...Array.from(this.subagents, ([key, { description }]) => ({
        name: delegationPrefix + key,
        description: `Delegate a task to the agent "${key}": ${description}`,
        parameters: delegationParameters(),
      })),
    ])
    this.digest = digestText(JSON.stringify(this.descriptions))
  }

  /** The subagent that a tool name stands for. */
  subagent(toolName: string): Subagent | undefined {
    return toolName.startsWith(delegationPrefix)
      ? this.subagents.get(toolName.slice(delegationPrefix.length))
      : undefined
  }

  /** Checks a call of the model; a problem is worded for the model, with what is allowed. */
  check(call: ToolCall): CallCheck {
    const schema = this.subagent(call.name) ? delegationArgsSchema : this.tools.get(call.name)?.inputSchema
    if (schema === undefined) return { status: 'invalid', problem: this.#unknown(call.name) }
    if (call.malformed !== undefined) {
      return {
        status: 'invalid',
        problem: `The arguments of "${call.name}" were not a JSON object. ${this.#expected(call.name)}`,
      }
    }
    const validation = validate(schema, call.args)
    // A schema that throws fails like any other function of the user's: in an effect, and unseen by the model.
    if (validation instanceof Promise || isFailure(validation)) return { status: 'asynchronous' }
    return toCheck(call.name, validation)
  }

  /** As `check`, for schemas that answer later. Rejects with what a schema threw. */
  async checkLater(call: Pick<ToolCall, 'name' | 'args'>): Promise<CallCheck> {
    const tool = this.tools.get(call.name)
    if (tool === undefined) return { status: 'invalid', problem: this.#unknown(call.name) }
    const validation = await validate(tool.inputSchema, call.args)
    if (isFailure(validation)) {
      throw new TerminalError(`The input schema of "${call.name}" failed: ${validation.problem}`, {
        code: 'SCHEMA_FAILED',
        cause: validation.failure,
      })
    }
    return toCheck(call.name, validation)
  }

  #expected(name: string): string {
    const parameters = this.descriptions.find((tool) => tool.name === name)?.parameters
    return `Expected an object that fits ${JSON.stringify(parameters)}.`
  }

  #unknown(name: string): string {
    const allowed = this.descriptions.map((tool) => tool.name)
    const kind = name.startsWith(delegationPrefix) ? 'agent' : 'tool'
    const list = allowed.length === 0 ? 'none' : allowed.join(', ')
    return `There is no ${kind} "${name}". Available: ${list}.`
  }

  toJSON(): string[] {
    return this.descriptions.map((tool) => tool.name)
  }
}

function isFailure(validation: Validation): validation is Extract<Validation, { ok: false }> {
  return !validation.ok && validation.failure !== undefined
}

function toCheck(name: string, validation: Validation): CallCheck {
  return validation.ok
    ? { status: 'valid', value: validation.value }
    : { status: 'invalid', problem: `Invalid arguments for "${name}": ${validation.problem}` }
}
