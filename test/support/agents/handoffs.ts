/** Calls that hand a conversation on. */
import type { ScriptedToolCall } from 'troupe/testing'

/** A call that hands the conversation to the agent of this key. */
export function transfer(key: string, args: Record<string, string> = {}): ScriptedToolCall {
  return { name: `transfer-to-${key}`, args }
}
