/**
 * What a model of the bench says. Its whole script stands in its name, so that the model in this process and the
 * model server need nothing else; where it is in its script, it knows from the last call that has its result.
 */
export interface Script {
  /** Calls of the tool before the answer. */
  readonly calls: number
  /** How many of them one reply asks for. */
  readonly perReply: number
  readonly tool: ToolName
}

export type ToolName = 'add' | 'agent-helper'

export interface ScriptedCall {
  readonly id: string
  readonly name: ToolName
  readonly args: { readonly a: number; readonly b: number } | { readonly prompt: string }
}

export interface ScriptedReply {
  readonly text: string
  readonly calls: readonly ScriptedCall[]
}

export const answer = 'That was all of it.'

const callPrefix = 'call-'

export function nameOf({ calls, perReply, tool }: Script): string {
  return `${calls}.${perReply}.${tool}`
}

export function scriptNamed(name: string): Script {
  const [, calls, perReply, tool] = /^(\d+)\.(\d+)\.(add|agent-helper)$/.exec(name) ?? []
  if (tool === undefined) throw new Error(`No script has the name ${JSON.stringify(name)}.`)
  return { calls: Number(calls), perReply: Number(perReply), tool: tool as ToolName }
}

/** How many replies a script has. */
export function repliesOf({ calls, perReply }: Script): number {
  return Math.ceil(calls / perReply) + 1
}

/** `lastResult`: the id of the last call that has its result; `undefined` at the beginning. */
export function replyAfter(lastResult: string | undefined, script: Script): ScriptedReply {
  const done = lastResult === undefined ? 0 : Number(lastResult.slice(callPrefix.length))
  const next = Math.min(script.perReply, script.calls - done)
  if (next <= 0) return { text: answer, calls: [] }
  return { text: '', calls: Array.from({ length: next }, (_, index) => call(done + index + 1, script.tool)) }
}

function call(number: number, tool: ToolName): ScriptedCall {
  const args = tool === 'add' ? { a: number, b: 1 } : { prompt: `Do part ${number} of the work.` }
  return { id: `${callPrefix}${number}`, name: tool, args }
}
