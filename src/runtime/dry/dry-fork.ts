/** Begins a dry fork: a run of a troupe of its own, on a store in memory, behind a door that asks. */
import { RunNotFoundError } from '../../errors.ts'
import { systemEnvironment } from '../environment.ts'
import type { Run } from '../handle/run.ts'
import { firstLease } from '../journal/store.ts'
import type { ForkOptions } from '../replay/fork.ts'
import type { OnError } from '../report.ts'
import { createTroupeIn, type Troupe } from '../troupe/troupe.ts'
import type { DryFunctions, ScriptedOutcome } from './contract.ts'
import { DryClock } from './dry-clock.ts'
import { assertScripted, dryDoor } from './dry-door.ts'
import { DryQuestions } from './dry-questions.ts'
import { dryStore, type DryHost } from './dry-store.ts'

export interface DryForkOptions {
  readonly fork: ForkOptions
  /** Default: `run`. */
  readonly functions?: DryFunctions
  readonly onError?: OnError
}

export interface DryFork {
  readonly run: Run
  /** The id of the run that it comes from. */
  readonly origin: string
  readonly functions: DryFunctions
  /** Its runs are this one and its origin. */
  readonly troupe: Troupe
  readonly questions: Pick<DryQuestions, 'open' | 'scripted' | 'subscribe'>
  /** Throws a `ConfigurationError` for a question that is not open, and for what is no outcome of its effect. */
  answer(key: string, outcome: ScriptedOutcome): void
  /** Ends it. Nothing of it stays. */
  close(): Promise<void>
}

export async function beginDryFork(
  { agents, store: source }: DryHost,
  runId: string,
  { fork, functions = 'run', onError }: DryForkOptions,
): Promise<DryFork> {
  const journal = await source.read(runId, 0)
  if (journal === undefined) throw new RunNotFoundError(runId)
  const questions = new DryQuestions()
  const forked: { id?: string } = {}
  const waitsForPeople = async (): Promise<boolean> => {
    if (forked.id === undefined) return true
    const [run] = (await troupe.runs({ runId: forked.id })).items
    return run?.status !== 'running'
  }
  const last = journal[Math.min(fork.at, journal.length) - 1]
  const clock = new DryClock(last?.at ?? 0, waitsForPeople)
  const store = dryStore(source, clock)
  const door = dryDoor({ functions, ask: (question, signal) => questions.ask(question, signal) })
  const troupe = createTroupeIn(
    systemEnvironment,
    {
      agents,
      store,
      clock,
      passivateAfter: Number.POSITIVE_INFINITY,
      hotReload: false,
      ...(onError === undefined ? {} : { onError }),
    },
    (request, context, effect) => clock.hold(Promise.resolve(door(request, context, effect))),
  )
  await store.append(journal.map((entry) => ({ runId, entry, lease: firstLease(runId) })))
  const run = await clock.hold(troupe.fork(runId, fork))
  forked.id = run.id
  return {
    run,
    origin: runId,
    functions,
    troupe,
    questions,
    answer: (key, outcome) =>
      questions.answer(key, outcome, (question) => {
        if (outcome.error === undefined) assertScripted(question, outcome.value)
      }),
    close: () => troupe.close(),
  }
}
