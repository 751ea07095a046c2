/** Words the difference between a request that is not on a cassette and the recorded one that is most like it. */
import type { ModelRequest } from '../../actors/chat-model.ts'
import type { Message } from '../../actors/message.ts'
import type { CassetteCall } from './cassette.ts'

/** Names the recorded request with the longest conversation in common, and the first difference. */
export function nearestText(request: ModelRequest, calls: readonly CassetteCall[]): string {
  let best = 0
  for (const [index, call] of calls.entries()) {
    const nearest = calls[best]
    if (nearest !== undefined && likeness(request, call.request) > likeness(request, nearest.request))
      best = index
  }
  const nearest = calls[best]
  if (nearest === undefined) return 'The cassette is empty.'
  return `The nearest is call ${best + 1}: ${differenceOf(nearest.request, request)}`
}

function likeness(request: ModelRequest, recorded: ModelRequest): number {
  const same = commonStart(request.messages, recorded.messages)
  const isSameLength = request.messages.length === recorded.messages.length
  return same * 4 + (isSameLength ? 2 : 0) + (toolNames(request) === toolNames(recorded) ? 1 : 0)
}

function commonStart(some: readonly Message[], others: readonly Message[]): number {
  const different = some.findIndex(
    (message, index) => JSON.stringify(message) !== JSON.stringify(others[index]),
  )
  return different === -1 ? some.length : different
}

function differenceOf(recorded: ModelRequest, request: ModelRequest): string {
  const place = commonStart(request.messages, recorded.messages)
  const [before, now] = [recorded.messages[place], request.messages[place]]
  if (before !== undefined || now !== undefined) {
    return `message ${place + 1} was ${shown(before)} and is now ${shown(now)}.`
  }
  if (JSON.stringify(recorded.tools) !== JSON.stringify(request.tools)) {
    return `its tools were ${toolNames(recorded)} and are now ${toolNames(request)}, or their descriptions differ.`
  }
  const [choice, choiceNow] = [JSON.stringify(recorded.toolChoice), JSON.stringify(request.toolChoice)]
  if (choice !== choiceNow) return `toolChoice was ${choice} and is now ${choiceNow}.`
  return 'the requested shape of the answer differs.'
}

const longest = 200

/** Around the part that differs, a message says little in full length. */
function shown(message: Message | undefined): string {
  if (message === undefined) return 'absent'
  const text = JSON.stringify(message)
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

function toolNames({ tools }: ModelRequest): string {
  return tools.map(({ name }) => name).join(', ') || 'none'
}
