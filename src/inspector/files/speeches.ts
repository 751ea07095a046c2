/** The messages of a run that are being written: each has its whole text so far, and a number that grows with each change. */
import type { RunEvent } from '../../index.ts'
import type { StreamMessage } from '../wire/routes.ts'

export type Speech = Extract<StreamMessage, { type: 'speech' }>

interface Written {
  readonly speech: Speech
  readonly change: number
}

/** The most messages that have ended and are remembered, for readers to whom that was not said yet. */
const mostEnded = 100

export class Speeches {
  readonly #written = new Map<string, Written>()
  #change = 0

  /** The number of the last change. */
  get change(): number {
    return this.#change
  }

  /** Takes an event; returns whether it has changed a message. Events that are on record change none that others see. */
  hear(event: RunEvent): boolean {
    const { messageId, path } = event
    if (messageId === undefined) return false
    switch (event.type) {
      case 'text-start':
        return event.seq === undefined && this.#write(messageId, 'text', path, '')
      case 'reasoning-start':
        return event.seq === undefined && this.#write(messageId, 'reasoning', path, '')
      case 'text-delta':
        return event.seq === undefined && this.#add(messageId, 'text', path, event.payload.text)
      case 'reasoning-delta':
        return event.seq === undefined && this.#add(messageId, 'reasoning', path, event.payload.text)
      case 'text-end':
        return this.#end(messageId, 'text')
      case 'reasoning-end':
        return this.#end(messageId, 'reasoning')
      default:
        return false
    }
  }

  /** The messages that have changed since the change with this number. */
  since(change: number): readonly Speech[] {
    return [...this.#written.values()].filter((one) => one.change > change).map(({ speech }) => speech)
  }

  #add(messageId: string, kind: Speech['kind'], path: string, text: string): boolean {
    const before = this.#written.get(keyOf(messageId, kind))?.speech.text ?? ''
    return this.#write(messageId, kind, path, before + text)
  }

  #write(messageId: string, kind: Speech['kind'], path: string, text: string): boolean {
    const key = keyOf(messageId, kind)
    this.#written.delete(key) // it becomes the last
    const speech: Speech = { type: 'speech', path, messageId, kind, text }
    this.#written.set(key, { speech, change: ++this.#change })
    return true
  }

  #end(messageId: string, kind: Speech['kind']): boolean {
    const speech = this.#written.get(keyOf(messageId, kind))?.speech
    if (speech === undefined || speech.text === '') return false
    this.#write(messageId, kind, speech.path, '')
    const ended = [...this.#written].filter((entry) => entry[1].speech.text === '')
    for (const [key] of ended.slice(0, -mostEnded)) this.#written.delete(key)
    return true
  }
}

function keyOf(messageId: string, kind: Speech['kind']): string {
  return `${kind}:${messageId}`
}
