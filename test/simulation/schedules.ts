/**
 * A world of schedules: machines that start what is due on one store, and crash, stand still, close, and have their clocks moved,
 * while runs that have ended are deleted. What must hold: each occurrence is started once, and none is lost.
 */
import {
  createAgent,
  memoryStore,
  type AgentDefinition,
  type ScheduleRow,
  type Troupe,
  type WholeStore,
} from 'troupe'
import { createTroupeIn } from '../../src/runtime/troupe/troupe.ts'
import { Findings } from './checks/findings.ts'
import { StoreWitness } from './checks/store-witness.ts'
import { heldStore } from './held-store.ts'
import { Hints } from './hints.ts'
import { Machine, SimulatedProcess } from './process.ts'
import { Random } from './random.ts'
import { Scheduler, type Owner } from './scheduler.ts'
import { simulatedStore, type StoreSettings } from './store.ts'

export interface ScheduleFault {
  /** The store that all processes share. */
  readonly inBase?: (base: WholeStore) => WholeStore
  /** Runs are deleted behind the back of the schedules. */
  readonly deletesBehind?: true
}

export interface ScheduleSimulation {
  readonly findings: readonly string[]
  readonly trace: readonly string[]
  /** How many occurrences were started. */
  readonly starts: number
}

const every = 700
const troubleLasts = 5_000
const calmLasts = 4_500
const leaseTtl = 300
const begin = 1_000_000
const world: Owner = { name: 'world', isGone: false, stalledUntil: 0 }
const keys = { all: 'all', once: 'once' } as const

export async function simulateSchedules(
  seed: number,
  fault: ScheduleFault = {},
): Promise<ScheduleSimulation> {
  const one = new ScheduleWorld(seed, fault)
  await one.trouble()
  await one.calm()
  return { findings: one.check(), trace: one.trace, starts: one.starts.size }
}

interface Place {
  readonly process: SimulatedProcess
  readonly troupe: Troupe
  readonly agent: AgentDefinition
}

class ScheduleWorld {
  readonly trace: string[] = []
  /** By the id of a run, how often it was begun. */
  readonly starts = new Map<string, number>()
  readonly #random: Random
  readonly #scheduler: Scheduler
  readonly #base: WholeStore
  readonly #fault: ScheduleFault
  readonly #witness: StoreWitness
  readonly #hints: Hints
  readonly #settings: StoreSettings
  readonly #faults: Random
  readonly #machines = [new Machine('m0', 0), new Machine('m1', 0)]
  readonly #processes = new Map<Machine, Place>()
  readonly #deleted = new Set<string>()
  #booted = 0

  constructor(seed: number, fault: ScheduleFault) {
    this.#random = new Random(`schedules ${seed}`)
    this.#faults = this.#random.stream('faults')
    this.#scheduler = new Scheduler(this.#random.stream('order'), this.trace)
    this.#fault = fault
    const base = fault.inBase?.(memoryStore()) ?? memoryStore()
    this.#base = heldStore(this.#counting(base), this.#scheduler)
    this.#witness = new StoreWitness(new Findings(() => undefined), leaseTtl)
    this.#hints = new Hints(this.#scheduler, this.#random.stream('hints'))
    this.#settings = {
      mode: 'async',
      gathers: false,
      failures: this.#faults.pick([0, 0.01]),
      slowness: this.#faults.pick([0.2, 1]),
    }
  }

  async trouble(): Promise<void> {
    for (const machine of this.#machines) this.#boot(machine)
    const [first] = this.#machines
    for (const key of Object.values(keys))
      this.#do(0, 'make a schedule', async () => {
        const { agent, troupe } = this.#placeOf(first)
        await troupe.schedule(agent, 'Go.', { key, every, missed: key, missedAfter: 100 })
      })
    for (let left = this.#faults.between(2, 8); left > 0; left--) this.#planFault()
    await this.#scheduler.run(begin + troubleLasts)
  }

  /** Faults stop, and one machine with the right time goes on. */
  async calm(): Promise<void> {
    this.#settings.failures = 0
    for (const { process } of this.#processes.values()) process.heal()
    this.#boot(new Machine('healthy', 0))
    await this.#scheduler.run(begin + troubleLasts + calmLasts)
  }

  check(): readonly string[] {
    const found: string[] = []
    for (const [runId, count] of this.starts)
      if (count > 1) found.push(`once: ${runId} was started ${count} times`)
    const dues = (key: string): Set<number> =>
      new Set(
        [...this.starts.keys()]
          .filter((runId) => runId.startsWith(`${key}.`))
          .map((runId) => Date.parse(runId.slice(key.length + 1).replaceAll(/T(\d\d)-(\d\d)-/g, 'T$1:$2:'))),
      )
    const first = Math.min(...dues(keys.all))
    const end = this.#scheduler.now - 2_500
    for (let due = first; due <= end; due += every)
      if (!dues(keys.all).has(due)) found.push(`noneLost: ${due - begin} of "all" was not started`)
    // A slow store makes it miss some of them, and no clock makes it miss all.
    const calmFrom = begin + troubleLasts + 1_500
    const ofOnce = [...dues(keys.once)].filter((due) => due >= calmFrom && due <= end)
    if (dues(keys.once).size > 0 && ofOnce.length < (end - calmFrom) / every / 3)
      found.push('noneLost: "once" has stopped')
    return found
  }

  #counting(base: WholeStore): WholeStore {
    return {
      ...base,
      append: async (appends) => {
        const report = await base.append(appends)
        const lost = new Set(report?.lost)
        for (const { runId, entry } of appends)
          if (entry?.type === 'run.started' && !lost.has(runId))
            this.starts.set(runId, (this.starts.get(runId) ?? 0) + 1)
        return report
      },
    }
  }

  #boot(machine: Machine): void {
    const name = `${machine.name}.${++this.#booted}`
    const process = new SimulatedProcess(
      name,
      machine,
      this.#scheduler,
      this.#random.stream(`timers ${name}`),
    )
    const store = simulatedStore({
      base: this.#base,
      process,
      scheduler: this.#scheduler,
      random: this.#random.stream(`store ${name}`),
      witness: this.#witness,
      settings: this.#settings,
      hints: this.#hints,
      hasFarSchedules: true,
    })
    const agent = createWorker()
    const troupe = createTroupeIn(process.environment, {
      agents: [agent],
      store,
      leaseTtl,
      pollInterval: 100,
      onError: ({ message }) => this.#scheduler.note(name, `REPORTS ${message}`),
    })
    this.#processes.set(machine, { process, troupe, agent })
    void troupe.recover({ every: 200 }).catch(() => undefined)
  }

  #placeOf(machine: Machine | undefined): Place {
    const place = machine === undefined ? undefined : this.#processes.get(machine)
    if (place === undefined) throw new Error('The machine runs nothing.')
    return place
  }

  #do(at: number, what: string, act: () => Promise<unknown>): void {
    this.#scheduler.after(at, world, what, () => {
      act().catch((error: unknown) => this.#scheduler.note(what, `FAILS: ${String(error)}`))
    })
  }

  #planFault(): void {
    const random = this.#faults
    const at = random.below(troubleLasts)
    const machine = random.pick([this.#machines[0], this.#machines[1]] as [Machine, Machine])
    const downFor = random.between(0, 1_500)
    const kind = random.pick(['crash', 'crash', 'close', 'stall', 'jump', 'delete', 'delete'])
    const deeds = random.below(12)
    const by = random.pick([-5_000, -300, 300, 5_000, 31_536_000_000])
    this.#do(at, `${kind} on ${machine.name}`, async () => {
      const place = this.#processes.get(machine)
      if (place === undefined || place.process.isGone) return
      if (kind === 'jump') {
        machine.clockOffset += by
        this.#scheduler.after(400, world, 'the clock is set right', () => {
          machine.clockOffset -= by
        })
      }
      if (kind === 'stall') place.process.stall(downFor)
      if (kind === 'delete') await this.#deleteEnded(place.troupe)
      if (kind === 'crash') place.process.crashAfter(deeds)
      if (kind === 'close') void place.troupe.close().catch(() => undefined)
      if (kind === 'crash' || kind === 'close')
        this.#scheduler.after(downFor, world, 'boots', () => {
          place.process.crash()
          this.#boot(machine)
        })
    })
  }

  async #deleteEnded(troupe: Troupe): Promise<void> {
    const { items } = await this.#base.list('endedRuns', { keep: 0 })
    for (const runId of items.filter((id) => !this.#deleted.has(id))) {
      this.#deleted.add(runId)
      if (this.#fault.deletesBehind) await this.#base.delete(runId)
      else await troupe.delete(runId).catch(() => this.#deleted.delete(runId))
    }
  }
}

function createWorker() {
  const model = {
    provider: 'simulation',
    modelId: 'clock',
    generate: async () => ({
      text: 'Done.',
      toolCalls: [],
      usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
      finishReason: 'stop' as const,
    }),
  }
  return createAgent({ id: 'worker', description: 'Works.', instructions: '', model })
}

/** What a row says of its occurrence. */
export function statusOf({ value }: ScheduleRow): { readonly status?: string; readonly context?: object } {
  const { state } = value as { readonly state?: { readonly status: string; readonly context: object } }
  return state ?? {}
}
