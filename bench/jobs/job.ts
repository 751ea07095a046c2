/** What all contestants do: an agent with its scripted model and the one tool of its script, and maybe a helper. */
import { createTool, type ToolDescription } from 'troupe'
import { z } from 'zod'
import { repliesOf, type Script } from './script.ts'

export interface Job {
  readonly instructions: string
  readonly task: string
  readonly script: Script
  /** Who does what is delegated; its task is the prompt of the call. */
  readonly helper?: Job
}

/** Model calls of a whole job, its helpers' included. */
export function modelCallsOf({ script, helper }: Job): number {
  return repliesOf(script) + (helper === undefined ? 0 : script.calls * modelCallsOf(helper))
}

/** Model calls: the first ones ask for one call of `add` each, the last one answers. */
export function adding(modelCalls: number): Job {
  return {
    instructions: 'Add numbers with your tool.',
    task: 'Add 1 to each number.',
    script: { calls: modelCalls - 1, perReply: 1, tool: 'add' },
  }
}

/** Delegations to a helper that answers at once, `perReply` of them side by side. */
export function delegating(delegations: number, perReply: number): Job {
  return {
    instructions: 'Give each part of the work to your helper.',
    task: 'Have the work done.',
    script: { calls: delegations, perReply, tool: 'agent-helper' },
    helper: adding(1),
  }
}

export const helperDescription = 'Does one part of the work.'

function add({ a, b }: { a: number; b: number }): number {
  return a + b
}

export const addTool = createTool({
  id: 'add',
  description: 'Adds two numbers.',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: add,
})

/** What the baselines tell their models of their one tool. */
export function describedTool({ tool }: Script): ToolDescription {
  if (tool === 'add') return { name: tool, description: addTool.description, parameters: addTool.parameters }
  const parameters = { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] }
  return { name: tool, description: helperDescription, parameters }
}

/** Performs a call of `add` for the baselines, without checks. */
export async function performAdd(args: unknown): Promise<number> {
  return add(args as { a: number; b: number })
}

/** The task of a delegation, for the baselines. */
export function delegatedTask(args: unknown): string {
  return (args as { prompt: string }).prompt
}
