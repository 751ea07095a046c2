/**
 * The push notification configs of tasks, in the store of the troupe. What a client gave is kept with its run, and deleted with it.
 * A list of its own has the work that is not done, with the process that does it, and no secret.
 */
import { isRecord } from '../../kit/index.ts'
import { notesOf, type NoteItems } from '../../kit/wire/index.ts'
import type { TaskPushNotificationConfig } from '@a2a-js/sdk'

/** A config of a task. */
export interface KeptPush {
  readonly runId: string
  readonly config: TaskPushNotificationConfig
  /** The version of the protocol in which the client gave it, and is told. */
  readonly version: string
}

/** Names a config of a task. */
export interface PushPlace {
  readonly runId: string
  readonly id: string
}

/** A config whose task has not been told to its end. */
export interface OpenPush extends PushPlace {
  /** The process that tells of the task. */
  readonly sender: string
}

const openKind = 'a2a-push'
const senderKind = 'a2a-push-sender'
const configKey = (id: string): string => `a2a-push ${id}`
const toldKey = (id: string): string => `a2a-push-told ${id}`
const openKey = ({ runId, id }: PushPlace): string => JSON.stringify([runId, id])

export class KeptPushes {
  readonly #items: NoteItems

  constructor(items: NoteItems) {
    this.#items = items
  }

  /** `told`: the position of the last event that the client knows. */
  async save({ runId, config, version }: KeptPush, told: number): Promise<void> {
    const { id, url, token, authentication } = config
    const kept = {
      url,
      token,
      ...(authentication === undefined ? {} : { authentication: { ...authentication } }),
      version,
    }
    await this.#items.set(notesOf(runId), toldKey(id), told)
    await this.#items.set(notesOf(runId), configKey(id), kept)
  }

  async list(runId: string): Promise<readonly KeptPush[]> {
    const items = await this.#items.items(notesOf(runId))
    const begins = configKey('')
    return items.flatMap(({ key, value }) =>
      key.startsWith(begins) && isRecord(value) ? [keptPush(runId, key.slice(begins.length), value)] : [],
    )
  }

  async find({ runId, id }: PushPlace): Promise<KeptPush | undefined> {
    return (await this.list(runId)).find(({ config }) => config.id === id)
  }

  async remove(place: PushPlace): Promise<void> {
    const kind = notesOf(place.runId)
    await this.#items.delete(kind, configKey(place.id))
    await this.#items.delete(kind, toldKey(place.id))
    await this.close(place)
  }

  /** The position of the last event that was sent. */
  async toldOf({ runId, id }: PushPlace): Promise<number> {
    const items = await this.#items.items(notesOf(runId))
    const value = items.find(({ key }) => key === toldKey(id))?.value
    return typeof value === 'number' ? value : -1
  }

  async tell({ runId, id }: PushPlace, position: number): Promise<void> {
    await this.#items.set(notesOf(runId), toldKey(id), position)
  }

  async open(place: PushPlace, sender: string): Promise<void> {
    await this.#items.set(openKind, openKey(place), { sender })
  }

  async close(place: PushPlace): Promise<void> {
    await this.#items.delete(openKind, openKey(place))
  }

  async allOpen(): Promise<readonly OpenPush[]> {
    const items = await this.#items.items(openKind)
    return items.flatMap(({ key, value }) => {
      const place: unknown = JSON.parse(key)
      const [runId, id] = Array.isArray(place) ? (place as readonly unknown[]) : []
      const sender = isRecord(value) ? value['sender'] : undefined
      return typeof runId === 'string' && typeof id === 'string' && typeof sender === 'string'
        ? [{ runId, id, sender }]
        : []
    })
  }

  /** `until`: milliseconds since 1970. */
  async stay(sender: string, until: number): Promise<void> {
    await this.#items.set(senderKind, sender, until)
  }

  async leave(sender: string): Promise<void> {
    await this.#items.delete(senderKind, sender)
  }

  /** The processes that are there at a time; those that are not are forgotten. */
  async senders(now: number): Promise<ReadonlySet<string>> {
    const there = new Set<string>()
    for (const { key, value } of await this.#items.items(senderKind)) {
      if (typeof value === 'number' && value > now) there.add(key)
      else await this.leave(key)
    }
    return there
  }
}

function keptPush(runId: string, id: string, value: Readonly<Record<string, unknown>>): KeptPush {
  const { url, token, authentication, version } = value
  const text = (given: unknown): string => (typeof given === 'string' ? given : '')
  const { scheme, credentials } = isRecord(authentication) ? authentication : {}
  return {
    runId,
    version: text(version),
    config: {
      tenant: '',
      taskId: runId,
      id,
      url: text(url),
      token: text(token),
      authentication: isRecord(authentication)
        ? { scheme: text(scheme), credentials: text(credentials) }
        : undefined,
    },
  }
}
