/** One world: its machines and their processes, its store, what is done to them, and people who answer questions. */
import type { WholeStore } from 'troupe'
import { createTroupeIn } from '../../src/runtime/troupe/troupe.ts'
import { App, type Question } from './app.ts'
import { CallerWitness, type GivenAnswer } from './checks/caller-witness.ts'
import { EffectWitness } from './checks/effect-witness.ts'
import { Findings } from './checks/findings.ts'
import { ForkWitness } from './checks/fork-witness.ts'
import { NestedWitness } from './checks/nested-witness.ts'
import { ProgramWitness } from './checks/program-witness.ts'
import { startOf } from './checks/watcher.ts'
import { StoreWitness } from './checks/store-witness.ts'
import { createCompany, type Company } from './company.ts'
import { deployed, missingAgents, type EditName, type Program } from './edits.ts'
import { Outside } from './effects.ts'
import { isCalm, troubleLasts, type Plan, type Planned } from './plan.ts'
import type { PlantedFault } from './planted.ts'
import { heldStore } from './held-store.ts'
import { Hints } from './hints.ts'
import { Machine, SimulatedProcess } from './process.ts'
import { Random } from './random.ts'
import { Scheduler, type Owner } from './scheduler.ts'
import { simulatedStore, type StoreSettings } from './store.ts'
import type { WorldStore } from './stores.ts'

/** A machine, and what runs on it now. */
interface Place {
  readonly machine: Machine
  app: App | undefined
  /** Of its next process. */
  program: Program
  /** How many processes it has run. */
  processes: number
}

const everybody: Owner = { name: 'world', isGone: false, stalledUntil: 0 }

export class World {
  readonly trace: string[] = []
  readonly findings = new Findings((what) => this.trace.push(`FOUND ${what}`))
  readonly base: WholeStore
  readonly scheduler: Scheduler
  readonly storeWitness: StoreWitness
  readonly callers: CallerWitness
  readonly effects: EffectWitness
  readonly nested: NestedWitness
  readonly programs: ProgramWitness
  /** The program that was deployed last. */
  newest: Program = new Set()
  /** Errors of the user's code stop with the other faults. */
  errors: number
  readonly #plan: Plan
  readonly #store: WorldStore
  readonly #fault: PlantedFault | undefined
  readonly #random: Random
  readonly #places: Place[]
  readonly #storeSettings: StoreSettings
  readonly #people: Random
  readonly #hints: Hints
  readonly #asked = new Set<string>()
  /** Runs that cannot go on by a program that was deployed. */
  readonly #broken = new Set<string>()
  readonly #delegations = new Map<string, string>()
  #answers = 0

  constructor(plan: Plan, store: WorldStore, fault?: PlantedFault) {
    const { actions, settings, seed } = plan
    const clocksAgree = settings.clockSkew === 0 && !actions.some(({ type }) => type === 'jump')
    this.#plan = plan
    this.#store = store
    this.#fault = fault
    this.#random = new Random(`troupe ${seed}`)
    this.#people = this.#random.stream('people')
    this.scheduler = new Scheduler(this.#random.stream('order'), this.trace)
    const base = this.#asFaulty(store.base)
    this.base = base
    this.#hints = new Hints(this.scheduler, this.#random.stream('hints'))
    this.storeWitness = new StoreWitness(this.findings, settings.leaseTtl)
    this.callers = new CallerWitness(base, this.findings, (runId, { program }) =>
      this.programs.isUncertain(runId, program),
    )
    this.effects = new EffectWitness(this.storeWitness, this.callers, this.findings, {
      clocksAgree,
      isCalm: isCalm(plan),
    })
    const { runs, watchers } = this.storeWitness
    this.nested = new NestedWitness(runs, this.callers, this.findings)
    this.programs = new ProgramWitness(runs, this.findings)
    watchers.push(this.nested, this.programs, new ForkWitness(runs, this.findings))
    this.errors = settings.userErrors
    this.#storeSettings = {
      mode: store.isSync ? settings.store : 'async',
      gathers: settings.store === 'sync',
      failures: settings.storeFailures,
      slowness: settings.slowness,
    }
    const clocks = this.#random.stream('clocks')
    const ahead = () => clocks.between(-settings.clockSkew, settings.clockSkew)
    this.#places = Array.from({ length: settings.machines }, (_, index) => ({
      machine: new Machine(`m${index}`, ahead()),
      app: undefined,
      program: this.newest,
      processes: 0,
    }))
  }

  /** Faults happen. */
  async trouble(): Promise<void> {
    for (const place of this.#places) this.#boot(place)
    for (const action of this.#plan.actions) {
      this.scheduler.after(action.at, everybody, describe(action), () => this.#do(action))
    }
    await this.scheduler.run(this.scheduler.now + troubleLasts)
  }

  /** Faults stop; a fresh process looks after all runs, and people answer whatever is asked. */
  async heal(): Promise<void> {
    const { atTheEnd } = this.#plan.settings
    this.#storeSettings.failures = 0
    this.errors = 0
    for (const { app } of this.#places) {
      if (app === undefined) continue
      if (atTheEnd === 'crash') app.process.crash()
      app.process.heal()
      if (atTheEnd === 'close') void app.close()
    }
    const fresh: Place = {
      machine: new Machine('healthy', 0),
      app: undefined,
      program: this.newest,
      processes: 0,
    }
    this.#places.push(fresh)
    this.#boot(fresh)
    const visit = (): void => {
      for (const { app } of this.#places) {
        if (app === undefined || app.process.isGone) continue
        for (const [runId, { hasEnded }] of this.storeWitness.runs) {
          if (hasEnded) continue
          if (app === fresh.app && this.#broken.has(runId)) void app.endByForce(runId)
          else void app.visit(runId)
        }
      }
      this.#asked.clear()
      this.scheduler.after(1_000, everybody, 'people look', visit)
    }
    visit()
    // A start may still wait for a call of the store that is never answered.
    const isOver = (): boolean => this.#haveAllEnded() && !this.callers.isAwaiting
    await this.scheduler.run(this.scheduler.now + healingLasts, isOver)
    await this.scheduler.run(this.scheduler.now + 3_000)
    // The last answers of people may still be on their way through a slow store.
    await this.scheduler.run(this.scheduler.now + quietLasts, () => !this.callers.isAwaiting)
  }

  #haveAllEnded(): boolean {
    for (const { hasEnded } of this.storeWitness.runs.values()) if (!hasEnded) return false
    return true
  }

  #asFaulty(store: WholeStore): WholeStore {
    return heldStore(this.#fault?.inBase?.(store) ?? store, this.scheduler)
  }

  #boot(place: Place): App {
    const name = `${place.machine.name}.${++place.processes}`
    const process = new SimulatedProcess(
      name,
      place.machine,
      this.scheduler,
      this.#random.stream(`timers ${name}`),
      place.program,
    )
    const { settings } = this.#plan
    const opened = this.#store.open(
      this.#random.stream(`connections ${name}`),
      () => this.#storeSettings.failures,
    )
    const view = simulatedStore({
      base: opened === this.#store.base ? this.base : this.#asFaulty(opened),
      process,
      scheduler: this.scheduler,
      random: this.#random.stream(`store ${name}`),
      witness: this.storeWitness,
      settings: this.#storeSettings,
      hints: this.#hints,
    })
    const company = this.company(process)
    const opening = createTroupeIn(process.environment, {
      agents: Object.values(company),
      store: this.#fault?.inView?.(view) ?? view,
      leaseTtl: settings.leaseTtl,
      pollInterval: settings.pollInterval,
      passivateAfter: settings.passivateAfter,
      // So runs go from one interpreter to the other.
      interpreter: this.#random.stream(`interpreter ${name}`).pick(['tables', 'xstate']),
      onError: ({ message, error }) => {
        this.scheduler.note(name, `REPORTS ${message}: ${(error as Partial<Error>).message}`)
      },
    })
    const troupe = this.#fault?.inTroupe?.(opening) ?? opening
    const app = new App({
      process,
      troupe,
      company,
      scheduler: this.scheduler,
      witness: this.callers,
      onQuestion: (runId, toolCallId, type) => this.#ask(runId, toolCallId, type),
      onDrain: (deadline) => this.effects.drains(process, this.scheduler.now + deadline),
      onMismatch: (runId, message) => this.#mismatched(process, runId, message),
      onDelegation: (runId, delegationId) => void this.#delegations.set(runId, delegationId),
    })
    place.app = app
    void app.recover(400)
    return app
  }

  /** Only an agent or a version that is gone keeps a run from going on. */
  #mismatched({ name, program }: SimulatedProcess, runId: string, message: string): void {
    const run = this.storeWitness.runs.get(runId)
    const { version, versions = {} } = startOf(run) ?? {}
    const lacksVersion = version !== undefined && !program.has('a first version')
    const lacksAgent =
      this.programs.isUncertain(runId, program) || missingAgents(program).some((agent) => agent in versions)
    if (!lacksVersion && !lacksAgent) {
      this.findings.add('goesOn', `${name} cannot go on with ${runId}: ${message}`)
    } else if (name.startsWith('healthy')) this.#broken.add(runId)
  }

  company(process: SimulatedProcess, program: Program = process.program): Company {
    return createCompany(
      new Outside({
        process,
        scheduler: this.scheduler,
        random: this.#random.stream('outside'),
        witness: this.effects,
        slowness: this.#plan.settings.slowness,
        errors: () => this.errors,
      }),
      program,
    )
  }

  // --- what happens to machines ---------------------------------------------------------------------------------

  #do(action: Planned): void {
    const place = this.#places[action.machine]
    const app = place?.app
    if (place === undefined || app === undefined || app.process.isGone) return
    switch (action.type) {
      case 'start':
        this.#letDo(app, `start ${action.agent}`, () => app.start(action.agent, action.user))
        break
      case 'crash':
        app.process.crashAfter(action.afterDeeds)
        this.#bootLater(place, action.downFor)
        break
      case 'stall':
        app.process.stall(action.time)
        break
      case 'jump':
        place.machine.clockOffset += action.by
        break
      case 'close':
        this.#letDo(app, 'close', () => app.close())
        this.#bootLater(place, action.downFor)
        break
      case 'drain':
        this.#letDo(app, 'drain', () => app.drain(action.deadline))
        this.#bootLater(place, action.downFor)
        break
      case 'deploy':
        this.#deploy(place, action.edits)
        if (action.how === 'crash') app.process.crash()
        else this.#letDo(app, 'close', () => app.close())
        this.#bootLater(place, action.downFor)
        break
      case 'cancel':
        this.#withRun(action.run, (runId) => this.#letDo(app, `cancel ${runId}`, () => app.cancel(runId)))
        break
      case 'cancelDelegation':
        this.#withRun(action.run, (runId) => {
          const delegationId = this.#delegations.get(runId)
          if (delegationId === undefined) return
          this.#letDo(app, `cancel ${delegationId}`, () => app.cancel(runId, delegationId))
        })
        break
      case 'fork':
        this.#withRun(action.run, (runId) => {
          const { entries = [] } = this.storeWitness.runs.get(runId) ?? {}
          const at = 1 + Math.floor(action.part * Math.max(0, entries.length - 2))
          this.#letDo(app, `fork ${runId}`, () => app.fork(runId, at))
        })
        break
      case 'visit':
        this.#withRun(action.run, (runId) => this.#letDo(app, `visit ${runId}`, () => app.visit(runId)))
        break
    }
  }

  #deploy(place: Place, edits: readonly EditName[]): void {
    this.newest = deployed(edits, this.newest)
    place.program = this.newest
  }

  /** A process that stands still does it when it goes on. */
  #letDo(app: App, what: string, act: () => Promise<void>): void {
    this.scheduler.after(0, app.process, what, () => void act())
  }

  #bootLater(place: Place, downFor: number): void {
    const { app } = place
    const boot = (): void => {
      if (place.app !== app) return
      app?.process.crash() // it had not come so far
      this.#boot(place)
    }
    this.scheduler.after(downFor, everybody, `${place.machine.name} boots`, boot)
  }

  #withRun(index: number, act: (runId: string) => void): void {
    const runId = [...this.storeWitness.runs.keys()][index]
    if (runId !== undefined) act(runId)
  }

  // --- people ---------------------------------------------------------------------------------------------------

  /** One of them answers, or several at once, from wherever. */
  #ask(runId: string, toolCallId: string, type: Question): void {
    const question = `${runId} ${toolCallId} ${type}`
    if (this.#asked.has(question) || this.nested.isOver(runId)) return
    this.#asked.add(question)
    const random = this.#people
    if (!random.chance(this.#plan.settings.answers)) return
    const times = random.pick([1, 1, 2, 3])
    for (let time = 0; time < times; time++) {
      const delay = random.pick([0, random.below(100), random.below(2_000)])
      const { signal, mark } = this.#answerTo(toolCallId, type)
      this.scheduler.after(delay, everybody, `a person answers`, () => {
        const apps = this.#places.flatMap(({ app }) => (app === undefined || app.process.isGone ? [] : [app]))
        const app = apps[random.below(apps.length)]
        if (app === undefined) return
        this.#letDo(app, `${signal.type} ${toolCallId}`, () => app.answer(runId, signal, mark))
      })
    }
  }

  #answerTo(toolCallId: string, type: Question): Pick<GivenAnswer, 'signal' | 'mark'> {
    const by = `person ${++this.#answers}.`
    if (this.#people.chance(0.3)) return { signal: { type: 'deny', toolCallId, by }, mark: by }
    return type === 'approval'
      ? { signal: { type: 'approve', toolCallId, by }, mark: by }
      : { signal: { type: 'resume', toolCallId, data: this.#dataFor(type), by }, mark: by }
  }

  /** The work that was interrupted is done again, or a person has done it. */
  #dataFor(type: Question): { readonly retry: true } | { readonly result: 1 } {
    return type === 'interruption' && this.#people.chance(0.5) ? { retry: true } : { result: 1 }
  }
}

/** Long enough for every back-off, timeout and lease, also of a machine whose clock was ahead. Milliseconds. */
const healingLasts = 90_000

/** Longer than any operation of the store takes. Milliseconds. */
const quietLasts = 30_000

function describe({ at: _at, machine, ...action }: Planned): string {
  return `m${machine}: ${JSON.stringify(action)}`
}
