/** One run of a machine on the real engine, with every effect held until the test settles it. */
import type {
  AnyActorRef,
  AnyEventObject,
  AnyMachineSnapshot,
  AnyStateMachine,
  InspectionEvent,
  Snapshot,
  StateValue,
} from 'xstate'
import { transitionsOf } from '../../actors/xstate-internals.ts'
import type { Clock } from '../../runtime/clock.ts'
import { heard } from '../../runtime/state/agent-logic.ts'
import { Committer } from '../../runtime/journal/committer.ts'
import { Engine } from '../../runtime/engine/engine.ts'
import type { RunChild } from '../../runtime/state/root-agents.ts'
import { RunState } from '../../runtime/state/run-state.ts'
import type { StateOptions } from '../../runtime/state/state-door.ts'
import {
  tablesOf,
  witnessed,
  xstateInterpreter,
  type Interpreter,
  type InterpreterName,
} from '../../runtime/interpreter/interpreter.ts'
import { systemEnvironment, type Environment } from '../../runtime/environment.ts'
import { protocolVersion, type JournalEntry, type RunStarted } from '../../runtime/journal/journal.ts'
import { memoryStore } from '../../runtime/journal/memory/memory-store.ts'
import { deliverChecked } from '../../runtime/replay/deliver-journal.ts'
import { ValueTexts } from '../chart/value-text.ts'
import type { Outcome, Stimulus } from '../graph/stimulus.ts'

const agentId = 'machine'

const started: RunStarted = {
  type: 'run.started',
  at: 0,
  protocol: protocolVersion,
  runId: 'run',
  agent: agentId,
  task: '',
  history: [],
  settings: { hooks: [] },
  stream: false,
}

/** Delays and deadlines end only when a path ends them. A timer of the process would also keep the whole run until it fires. */
const stopped: Clock = { now: () => 0, after: () => () => undefined }
const environment: Environment = { ...systemEnvironment, clock: stopped }

/** More than any chain of microtasks between an outcome and its delivery; nothing here waits for time. */
const microtasks = 12

/** What a machine does in a run: its values after each step, and the events of its own that it emits, as texts. */
interface Seen {
  readonly values: string[]
  readonly emitted: string[]
}

const nothingSeen = (): Seen => ({ values: [], emitted: [] })

export interface MachineRunOptions {
  readonly machine: AnyStateMachine
  readonly input: unknown
  readonly interpreter: InterpreterName
  readonly onTransitions: (transitions: readonly unknown[]) => void
}

export class MachineRun {
  readonly #given: MachineRunOptions
  readonly #store = memoryStore()
  readonly #engine: Engine
  readonly #seen = nothingSeen()
  readonly #settlers = new Map<unknown, (outcome: Outcome) => void>()
  /** Events from outside, with the number of journal entries when they were sent. */
  readonly #sent: { readonly after: number; readonly stimulus: Stimulus }[] = []

  constructor(given: MachineRunOptions) {
    this.#given = given
    this.#engine = new Engine(new RunState(this.#options(this.#seen)), {
      functions: {},
      clock: stopped,
      environment,
      committer: new Committer(this.#store),
      perform: (request) =>
        new Promise((resolve, reject) => {
          this.#settlers.set(request, ({ value, error }) =>
            // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- an outcome's error is data
            error === undefined ? resolve(value as never) : reject(error),
          )
        }),
    })
    this.#engine.start()
  }

  get snapshot(): AnyMachineSnapshot {
    const root = this.#engine.state.root.getSnapshot() as Snapshot<unknown>
    if (root.status === 'error') throw new Error('The run is in error.', { cause: root.error })
    return this.#engine.state.agent.getSnapshot() as AnyMachineSnapshot
  }

  /** Waits until every pending outcome is delivered. */
  async drain(): Promise<void> {
    for (let i = 0; i < microtasks; i++) await Promise.resolve()
  }

  async apply(stimulus: Stimulus): Promise<void> {
    if (stimulus.type === 'event') {
      this.#sent.push({ after: (await this.#journal()).length, stimulus })
      this.#send(this.#engine.state, stimulus)
      this.#engine.turnEnded()
    } else {
      this.#settle(stimulus.child, stimulus.outcome)
    }
    await this.drain()
  }

  #settle(child: string, outcome: Outcome): void {
    const effect = [...this.#engine.state.effects.pending.values()].find(
      (candidate) => candidate.request.ref.id === child,
    )
    if (effect === undefined) throw new Error(`The run has no open effect "${child}".`)
    if (outcome.error !== undefined && (effect.kind === 'signal' || effect.kind === 'timer')) {
      throw new Error(
        `The outcome "${outcome.name}" of "${child}" is an error, and a ${effect.kind} cannot fail.`,
      )
    }
    if (effect.kind === 'signal') {
      const answer = outcome.value as { approved: boolean }
      this.#engine.signal({ type: 'answer', key: effect.key, id: child, answer })
      return
    }
    const settle = effect.kind === 'timer' ? effect.ring : this.#settlers.get(effect.request)
    if (settle === undefined) throw new Error(`The effect "${child}" was asked for and never started.`)
    settle(outcome)
  }

  #send(state: RunState, stimulus: Stimulus): void {
    if (stimulus.type !== 'event') return
    state.agent.send(stimulus.event)
  }

  /** Replays the journal on a second state. Throws where the two runs differ. */
  async replay(): Promise<void> {
    const seen = nothingSeen()
    const state = new RunState(this.#options(seen))
    state.begin()
    const journal = await this.#journal()
    const sent = [...this.#sent]
    for (let position = 0; position <= journal.length; position++) {
      while (sent[0]?.after === position) this.#send(state, (sent.shift() as { stimulus: Stimulus }).stimulus)
      const entry = journal[position]
      if (entry !== undefined) deliverChecked(state, entry, position)
    }
    same('states', this.#seen.values, seen.values)
    same('events', this.#seen.emitted, seen.emitted)
    same('events', this.#engine.state.recorder.log.toArray(), state.recorder.log.toArray())
  }

  async #journal(): Promise<readonly JournalEntry[]> {
    return (await this.#store.read(started.runId)) ?? []
  }

  #options({ values, emitted }: Seen): StateOptions {
    const { machine, input } = this.#given
    const { inspect, ...heardBy } = interpreted(this.#given, {
      stepped: (value, transitions) => {
        values.push(JSON.stringify(value))
        this.#given.onTransitions(transitions)
      },
      emitted: (event) => void emitted.push(new ValueTexts().of(event)),
    })
    return {
      registry: new Map(),
      started,
      timers: { setTimeout: () => undefined, clearTimeout: () => undefined },
      inspect,
      rootLogic: machineRoot(heard(machine, heardBy), input),
    }
  }
}

/** A machine that is no agent, as the root of a run: its output is the answer. */
export function machineRoot(logic: RunChild['logic'], input: unknown): RunChild {
  return {
    id: agentId,
    logic,
    input,
    outputOf: (output) => ({
      outcome: 'completed',
      text: new ValueTexts().of(output),
      delegations: [],
      scores: [],
      steps: [],
      usage: {},
    }),
  }
}

interface Listeners {
  /** Called after each step of the machine. */
  readonly stepped: (value: StateValue, transitions: readonly unknown[]) => void
  /** Called with each event that a machine of a user's emits. */
  readonly emitted: (event: AnyEventObject) => void
}

interface Interpreted {
  readonly interpreter: Interpreter
  readonly inspect?: (event: InspectionEvent) => void
  readonly listener?: (event: AnyEventObject) => void
}

/** By tables where the machine has them: XState tells of its steps through an inspector. */
function interpreted({ machine, interpreter }: MachineRunOptions, listeners: Listeners): Interpreted {
  const tables = interpreter === 'tables' ? tablesOf(machine) : undefined
  if (tables !== undefined)
    return {
      interpreter: witnessed(tables, (value, transition) => listeners.stepped(value, [transition])),
    }
  return {
    interpreter: xstateInterpreter,
    listener: listeners.emitted,
    inspect(event) {
      if (event.type !== '@xstate.microstep' || (event.actorRef as AnyActorRef).id !== agentId) return
      listeners.stepped((event.snapshot as AnyMachineSnapshot).value as StateValue, transitionsOf(event))
    },
  }
}

function same(what: string, run: readonly unknown[], replay: readonly unknown[]): void {
  const [a, b] = [JSON.stringify(run), JSON.stringify(replay)]
  if (a !== b) throw new Error(`The replay has other ${what} than the run.\nrun:    ${a}\nreplay: ${b}`)
}
