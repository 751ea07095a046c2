/**
 * What a fork has of the runs that it descends from, read from the entries that it shares with them and from its own: the
 * exchanges that they had saved, and the note on its resource as they knew it.
 */
import type { EffectInput, EffectOutcome, Recalled } from '../../../actors/effects/effect-kinds.ts'
import type { Settlement } from '../../../actors/effects/effect.ts'
import { isRecord } from '../../../actors/values/json.ts'
import type { RunStarted, Ancestor } from '../../journal/journal.ts'
import { threadOfAnother, type MemoryStorage, type ThreadMessage } from '../../journal/memory-storage.ts'
import { isApart, threadNamed, formerThreads, threadOfFork } from '../../journal/lineage.ts'

/** The note on the resource of a run, as its journal has it. */
interface KnownNote {
  /** `null`: there was none yet. `undefined`: it could not be read. */
  readonly text: string | null | undefined
}

export class Descent {
  readonly started: RunStarted
  /** Whether the fork keeps all it adds to itself. */
  readonly isApart: boolean
  /** By key, the position of the entry with which an exchange was on record as saved. */
  readonly #saved = new Map<string, number>()
  #note: KnownNote | undefined

  private constructor(started: RunStarted) {
    this.started = started
    this.isApart = isApart(started)
  }

  /** `undefined`: the run is no fork. */
  static of(started: RunStarted): Descent | undefined {
    return started.lineage === undefined ? undefined : new Descent(started)
  }

  /** `undefined`: no agent has asked for it yet. */
  get note(): KnownNote | undefined {
    return this.#note
  }

  /** A recall or a save has an outcome, at this position of the journal. */
  remembered(
    key: string,
    position: number,
    input: EffectInput<'memory'>,
    { error, value }: Settlement,
  ): void {
    if (input.operation === 'save') {
      if (error === undefined) this.#saved.set(key, position)
    } else if (input.operation === 'recall' && input.workingMemory) {
      const recalled = value as Recalled | undefined
      if (recalled !== undefined || this.#note === undefined) this.#note = { text: recalled?.workingMemory }
    }
  }

  /** The tool that replaces the note has an outcome. */
  noted({ args }: EffectInput<'tool'>, { value }: Settlement): void {
    const outcome = value as EffectOutcome<'tool'> | undefined
    if (outcome?.type === 'returned' && isRecord(args) && typeof args['content'] === 'string')
      this.#note = { text: args['content'] }
  }

  /** Whether a message that this ancestor has saved under this id was in its thread by the entry of the fork. */
  shares(messageId: string, ancestor: { readonly runId: string; readonly at: number }): boolean {
    const prefix = `${ancestor.runId}/`
    if (!messageId.startsWith(prefix)) return true
    const position = this.#saved.get(messageId.slice(prefix.length, messageId.lastIndexOf('/')))
    return position !== undefined && position < ancestor.at
  }

  /** The thread that the agents of the fork name so. */
  threadNamed(name: string): string {
    return threadNamed(this.started, name)
  }

  /** As `threadNamed`; begins a thread of the fork's own where it is not there yet. */
  branch(memory: MemoryStorage, name: string): Promise<string> {
    return branchThread(memory, this, name)
  }
}

// Begins a thread of a fork's own: with the messages that the thread of the run before it had by the entry of the
// fork.

type Storage = Pick<MemoryStorage, 'threads' | 'messages' | 'save'>

/** The fork. */
interface Branching {
  readonly started: RunStarted
  /** Whether a message that this ancestor has saved was in its thread by the entry of the fork. */
  shares(messageId: string, ancestor: Ancestor): boolean
}

/**
 * Returns the id of the thread that the agents of a fork name so, and begins the thread where it is not there yet. A repeated
 * call changes nothing, also when another one is under way. Rejects with a `TerminalError`, `THREAD_OF_ANOTHER_RESOURCE`.
 */
async function branchThread(memory: Storage, fork: Branching, name: string): Promise<string> {
  const { started } = fork
  const threadId = threadNamed(started, name)
  if (threadId !== threadOfFork(started.runId, name)) return threadId // the caller has chosen it
  if ((await memory.threads({ threadId })).length > 0) return threadId
  for (const former of formerThreads(started, name)) {
    const [thread] = await memory.threads({ threadId: former.threadId })
    if (thread === undefined) continue
    const { resourceId } = thread
    if (resourceId !== undefined && resourceId !== started.resourceId) throw threadOfAnother(former.threadId)
    const shared = sharedOf(await memory.messages(former.threadId, {}), former.ancestor, fork)
    if (shared.length > 0) await memory.save(threadId, shared, resourceId)
    break
  }
  return threadId
}

/**
 * The messages that were there by the entry of the fork. A thread is in the order in which messages came: what is behind an
 * exchange that the run saved later came later too, whatever its time says.
 */
function sharedOf(messages: readonly ThreadMessage[], ancestor: Ancestor, fork: Branching): ThreadMessage[] {
  const later = messages.findIndex(({ id }) => !fork.shares(id, ancestor))
  const before = later === -1 ? messages : messages.slice(0, later)
  return before.filter(({ at }) => at <= ancestor.until)
}
