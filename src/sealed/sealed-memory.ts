/** Threads and notes, sealed by the key of their resource. */
import type { MemoryStorage, Thread, ThreadMessage } from '../index.ts'
import { TroupeError } from '../index.ts'
import { threadOfAnother, type Whole } from '../kit/index.ts'
import { all, after, type Awaitable } from './awaitable.ts'
import { namedFilter, idOrName, refsIn, sealedIn, unnamed } from './envelope.ts'
import type { Names } from './names.ts'
import type { Redactor } from './redact.ts'
import type { Seals } from './seals.ts'

export function sealedMemory(
  memory: MemoryStorage,
  { seals, names, redact }: { readonly seals: Seals; readonly names: Names; readonly redact: Redactor },
): Whole<MemoryStorage> {
  const sealMessage = (
    message: ThreadMessage,
    thread: string,
    resourceId: string | undefined,
  ): Awaitable<ThreadMessage> => {
    const kept = redact.message(message)
    const id = names.of('message', message.id)
    const json = JSON.stringify(kept)
    const refs = refsIn(json, names)
    return after(seals.sealText(json, resourceId, ['message', thread, id]), (sealed) => {
      const clear = {
        id,
        at: message.at,
        ...(message.conversationId === undefined ? {} : { conversationId: message.conversationId }),
        ...(message.resourceId === undefined ? {} : { resourceId: message.resourceId }),
      }
      const row = { ...namedFilter(clear, names), ...(refs.length === 0 ? {} : { refs }), sealed }
      return row as object as ThreadMessage
    })
  }
  const openMessage = (row: ThreadMessage, thread: string): Awaitable<ThreadMessage> =>
    after(seals.open(sealedIn(row), ['message', thread, row.id]), (message) => message as ThreadMessage)
  return {
    async threads(filter) {
      const { messagesOf, ...rest } = namedFilter(filter, names)
      const of = messagesOf === undefined ? {} : { messagesOf: names.of('resource', messagesOf) }
      const found = await memory.threads({ ...rest, ...of })
      return found.map((thread): Thread => {
        return { ...unnamed(thread, names), id: idOrName(names, 'thread', thread.id) }
      })
    },
    async messages(threadId, reading) {
      const thread = names.of('thread', threadId)
      const asked = await ofThread(threadId, () =>
        memory.messages(thread, namedFilter(reading as object, names)),
      )
      return all(asked.map((row) => openMessage(row, thread)))
    },
    async save(threadId, messages, resourceId, ...by) {
      const thread = names.of('thread', threadId)
      const owner = resourceId === undefined || resourceId === '' ? undefined : resourceId
      const sealed = await all(messages.map((message) => sealMessage(message, thread, owner)))
      const name = owner === undefined ? resourceId : names.of('resource', owner)
      await ofThread(threadId, () => memory.save(thread, sealed, name, ...by))
    },
    remove: (removal) =>
      memory.remove(
        'runId' in removal ? removal : { ...removal, threadId: names.of('thread', removal.threadId) },
      ),
    async workingMemory(resourceId, content, ...by) {
      const name = names.of('resource', resourceId)
      const place = ['note', name] as const
      if (content === undefined) {
        const sealed = await memory.workingMemory(name)
        return sealed === undefined ? undefined : ((await seals.open(sealed, place)) as string)
      }
      const kept = redact.text(content)
      await memory.workingMemory(name, await seals.seal(kept, resourceId, place), ...by)
      return kept
    },
    removeNotes:
      memory.removeNotes &&
      (async (resourceId, ...more) =>
        (await memory.removeNotes?.(names.of('resource', resourceId), ...more)) === true),
    oldNotes:
      memory.oldNotes &&
      (async (expiry) =>
        ((await memory.oldNotes?.(expiry)) ?? []).map((name) => idOrName(names, 'resource', name))),
    removeMessages:
      memory.removeMessages &&
      (async (threadId, resourceId) =>
        (await memory.removeMessages?.(names.of('thread', threadId), names.of('resource', resourceId))) ?? 0),
    // The cursor is a name: it leads to no id of the store.
    resources:
      memory.resources &&
      (async (page) => {
        const found = (await memory.resources?.(page)) ?? { items: [] }
        return { ...found, items: found.items.map((one) => unnamed(one, names)) }
      }),
  }
}

/** An error about a thread names it as the caller did. */
async function ofThread<Given>(threadId: string, ask: () => Promise<Given>): Promise<Given> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof TroupeError && error.code === 'THREAD_OF_ANOTHER_RESOURCE')
      throw threadOfAnother(threadId)
    throw error
  }
}
