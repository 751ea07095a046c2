/** Holds the threads of forks against those of the runs that they descend from. */
import type { ThreadMessage, ThreadReading } from 'troupe'
import type { Findings } from './findings.ts'
import type { StoreWitness, WitnessedRun } from './store-witness.ts'
import { startOf, type KeptEntry, type RunStarted, type Watcher } from './watcher.ts'

type Thread = Map<string, ThreadMessage>

export class ForkWitness implements Watcher {
  readonly #findings: Findings
  readonly #runs: StoreWitness['runs']
  readonly #threads = new Map<string, Thread>()
  /** By fork, the messages that its thread must begin with, by the name of the thread before it. */
  readonly #expected = new Map<string, { readonly name: string; readonly ids: readonly string[] }>()

  constructor(runs: StoreWitness['runs'], findings: Findings) {
    this.#runs = runs
    this.#findings = findings
  }

  kept({ runId, entry, position, run }: KeptEntry): void {
    const [started] = run.entries
    if (started?.type !== 'run.started' || started.forkedFrom === undefined) return
    // All that it shares is on record with its last shared entry.
    if (position !== started.forkedFrom.at - 1 || entry.type === 'run.settled') return
    const [ancestor, ...later] = started.lineage ?? []
    const name = ancestor?.threadId
    if (name === undefined || later.length > 0) return
    const ids: string[] = []
    for (const message of this.#threads.get(name)?.values() ?? []) {
      if (!this.#wasShared(run, started, message)) break
      if (message.at <= (ancestor?.until ?? 0)) ids.push(message.id)
    }
    this.#expected.set(runId, { name, ids })
  }

  remembered(name: string, args: readonly unknown[]): void {
    switch (name) {
      case 'memory.save':
        this.#saved(args[0] as string, args[1] as readonly ThreadMessage[])
        break
      case 'memory.messages': {
        const { runId } = args[1] as ThreadReading
        if (runId !== undefined) this.#recalled(args[0] as string, runId)
        break
      }
      case 'memory.workingMemory':
        if (typeof args[1] === 'string') this.#noted(args[1])
        break
    }
  }

  #saved(threadId: string, messages: readonly ThreadMessage[]): void {
    const thread = this.#threads.get(threadId) ?? new Map<string, ThreadMessage>()
    this.#threads.set(threadId, thread)
    const fork = forkOf(threadId)
    for (const message of messages) {
      const writer = runOf(message)
      if (writer !== fork) {
        if (this.#startOf(writer)?.forkedFrom !== undefined && fork === undefined)
          this.#findings.add('apart', `the fork ${writer} writes into the thread ${threadId}`)
        if (fork !== undefined) this.#begins(fork, message)
      }
      thread.set(message.id, message)
    }
  }

  #begins(fork: string, message: ThreadMessage): void {
    const run = this.#runs.get(fork)
    const started = this.#startOf(fork)
    const until = started?.lineage?.at(-1)?.until ?? 0
    if (run === undefined || started === undefined) return
    if (message.at <= until && this.#wasShared(run, started, message)) return
    this.#findings.add(
      'asAtEntry',
      `the thread of ${fork} begins with ${message.id}, which came after its entry`,
    )
  }

  /** Of a message of the runs that the fork descends from, whether its save is on record before the entry. */
  #wasShared({ entries }: WitnessedRun, { lineage = [] }: RunStarted, message: ThreadMessage): boolean {
    const writer = runOf(message)
    const ancestor = lineage.find(({ runId }) => runId === writer)
    if (ancestor === undefined) return true
    const key = message.id.slice(writer.length + 1, message.id.lastIndexOf('/'))
    return entries
      .slice(0, ancestor.at)
      .some(
        (entry) =>
          entry.type === 'effect.settled' && entry.key === key && entry.settlement.error === undefined,
      )
  }

  #recalled(threadId: string, runId: string): void {
    const expected = this.#expected.get(runId)
    if (forkOf(threadId) !== runId || expected === undefined || threadId !== `fork:${runId}/${expected.name}`)
      return
    this.#expected.delete(runId)
    const thread = this.#threads.get(threadId)
    const missing = expected.ids.filter((id) => thread?.has(id) !== true)
    if (missing.length > 0)
      this.#findings.add('asAtEntry', `the thread of ${runId} lacks ${missing.join(', ')}`)
  }

  #noted(content: string): void {
    const writer = content.replace('the note of ', '')
    if (this.#startOf(writer)?.forkedFrom === undefined) return
    this.#findings.add('apart', `the fork ${writer} writes the note of a resource`)
  }

  #startOf(runId: string): RunStarted | undefined {
    return startOf(this.#runs.get(runId))
  }
}

function runOf({ id }: ThreadMessage): string {
  return id.slice(0, id.indexOf('/'))
}

/** The fork that a thread belongs to. The thread of a subagent is below that of its conversation. */
function forkOf(threadId: string): string | undefined {
  const above = /^thread:([^/]*)\//.exec(threadId)?.[1]
  return above === undefined ? /^fork:([^/]*)\//.exec(threadId)?.[1] : forkOf(decodeURIComponent(above))
}
