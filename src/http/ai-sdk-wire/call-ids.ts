/**
 * The ids of calls in a chat. A run counts its calls anew, and a page looks for a call in all messages of its chat: the id of
 * a call has the id of its run in front.
 */
import type { UiChunk } from './chunks.ts'

/** The chunk with the ids that its calls and approvals have in the chat. */
export function inChat(chunk: UiChunk, runId: string): UiChunk {
  const call = 'toolCallId' in chunk ? { toolCallId: idInChat(chunk.toolCallId, runId) } : {}
  const approval = 'approvalId' in chunk ? { approvalId: idInChat(chunk.approvalId, runId) } : {}
  return { ...chunk, ...call, ...approval }
}

function idInChat(toolCallId: string, runId: string): string {
  return `${runId}/${toolCallId}`
}

/** The id that a call of the run has in the run. */
export function idInRun(id: string, runId: string): string {
  const front = idInChat('', runId)
  return id.startsWith(front) ? id.slice(front.length) : id
}
