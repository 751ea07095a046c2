/** What the page of the inspector receives, read over the same connection: each actor, and the states it went through. */
import type { StatelyInspectionEvent } from '@statelyai/inspect'

export interface ReceivedActor {
  readonly name: string
  /** The statechart that it runs, and what that says of itself; for an effect, what it is. */
  readonly definition: Definition
  readonly states: string[]
}

interface Definition {
  readonly id: string
  readonly description?: string
  readonly states?: object
}

/** Settles when the inspector has stopped. */
export async function receive(page: string): Promise<readonly ReceivedActor[]> {
  const actors = new Map<string, ReceivedActor>()
  for await (const message of messages(page)) {
    if (message.type === '@xstate.actor') {
      const definition = JSON.parse(message.definition ?? '{}') as Definition
      actors.set(message.sessionId, { name: message.name, definition, states: [] })
    }
    if (message.type === '@xstate.event') continue
    const states = actors.get(message.sessionId)?.states
    const state = stateOf(message.snapshot)
    if (states?.at(-1) !== state) states?.push(state)
  }
  return [...actors.values()]
}

async function* messages(page: string): AsyncGenerator<StatelyInspectionEvent> {
  const { body } = await fetch(new URL('messages', page))
  let rest = ''
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line.startsWith('data: ')) yield JSON.parse(line.slice(6)) as StatelyInspectionEvent
    }
  }
}

/** Machines are in a state, everything else is active, done, in error or stopped. */
function stateOf(snapshot: object): string {
  const { value, status } = snapshot as { value?: unknown; status: string }
  return value === undefined ? status : valueText(value)
}

/** `{ thinking: 'calling' }` is shown as `thinking.calling`. */
function valueText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([name, inner]) => `${name}.${valueText(inner)}`)
    .join(' + ')
}
