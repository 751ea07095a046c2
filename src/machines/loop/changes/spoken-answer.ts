/** Makes the result of a child the answer of the agent: a message of its own, with the same events. */
import { noUsage } from '../../../actors/usage.ts'
import { messageEvents } from './announce.ts'
import { isSaid, type LoopContext } from './context.ts'
import { currentMessage } from './record.ts'

interface Spoken {
  readonly change: Pick<LoopContext, 'drafts' | 'said'>
  readonly events: ReturnType<typeof messageEvents>
}

export function spoken(context: LoopContext): Spoken {
  const { drafts, said, input } = context
  const begun = { ...context, drafts: drafts + 1 }
  const change = {
    drafts: begun.drafts,
    said: { ...said, message: `${input.path}:${currentMessage(begun)}` },
  }
  const reply = { text: said.text, toolCalls: [], finishReason: 'stop' as const, usage: noUsage }
  return { change, events: messageEvents({ ...context, ...change, reply }) }
}

/** Whether there is an answer that is no message of the agent yet. */
export function hasUnspokenAnswer({ said, ending }: LoopContext): boolean {
  const isAnswer =
    ending.outcome === 'completed' || ending.outcome === 'exhausted' || ending.outcome === 'stopped'
  return isAnswer && said.message === undefined && isSaid(said)
}
