/** What must hold when all is quiet: every run has ended, and reads as it was seen. */
import { createTroupeIn } from '../../../src/runtime/troupe/troupe.ts'
import { lacksAgentOf } from './program-witness.ts'
import type { WitnessedRun } from './store-witness.ts'
import { eventText } from './caller-witness.ts'
import { SimulatedProcess, Machine } from '../process.ts'
import type { Troupe } from 'troupe'
import type { Program } from '../edits.ts'
import { Random } from '../random.ts'
import type { World } from '../world.ts'

export async function checkEnd(world: World): Promise<void> {
  const { findings, callers, storeWitness } = world
  for (const [runId, { hasEnded }] of storeWitness.runs) {
    if (!hasEnded) findings.add('stuck', `${runId} has not come to its end`)
  }
  await callers.checkAnswers()
  await callers.checkCancels()
  callers.checkAwaited()
  world.nested.checkEnds()
  await checkReplays(world)
}

/** By program, the troupe that replays by it. */
class Readers {
  readonly #world: World
  readonly #troupes = new Map<string, Troupe>()

  constructor(world: World) {
    this.#world = world
  }

  of(program: Program): Troupe {
    const name = [...program].toSorted().join()
    const troupe = this.#troupes.get(name) ?? this.#open(program)
    this.#troupes.set(name, troupe)
    return troupe
  }

  #open(program: Program): Troupe {
    const { base, scheduler } = this.#world
    const reader = new SimulatedProcess(
      'reader',
      new Machine('reader', 0),
      scheduler,
      new Random('reader'),
      program,
    )
    return createTroupeIn(reader.environment, {
      agents: Object.values(this.#world.company(reader)),
      store: base,
    })
  }
}

async function checkReplays(world: World): Promise<void> {
  const { callers, effects, findings, newest, programs, storeWitness } = world
  const readers = new Readers(world)
  const version = newest.has('a first version') ? (['a first version'] as const) : []
  const original = new Set(version)
  for (const [runId, run] of storeWitness.runs) {
    if (programs.wentOnWithout(runId)) continue
    const { entries } = run
    const callsBefore = effects.calls
    try {
      const told = readable(programs.lastTold(runId), run, newest)
      const { diverged } = await readers.of(told).replay(runId)
      if (diverged !== undefined && told.size === programs.lastTold(runId).size)
        findings.add('unedited', `${runId}: ${JSON.stringify(diverged)}`)
      for (const program of [newest, original].map((program) => readable(program, run, newest))) {
        const { result, events } = await readers.of(program).replay(runId)
        const seen = callers.results.get(runId)
        const replayed = JSON.stringify(result)
        const recorded = entries.find((entry) => entry.type === 'run.settled')
        if (result?.outcome !== recorded?.outcome || result?.text !== recorded?.text) {
          findings.add('replay', `${runId} is recorded as ${recorded?.outcome}, and replays to ${replayed}`)
        }
        if (seen !== undefined && seen !== replayed) {
          findings.add('replay', `${runId} was ${seen}, and replays to ${replayed}`)
        }
        for (const [seq, told] of callers.events.get(runId) ?? []) {
          const event = eventText(events[seq - 1])
          if (event === told) continue
          findings.add('toldEvents', `${runId}: event ${seq} was ${told}, and replays to ${event}`)
          break
        }
      }
    } catch (error) {
      findings.add('replay', `${runId} does not replay: ${(error as Error).message}`)
    }
    if (effects.calls !== callsBefore)
      findings.add('performsNothing', `the replay of ${runId} performed effects`)
  }
  for (const runId of callers.started) {
    if (!storeWitness.runs.has(runId)) findings.add('toldStart', `${runId} had started, and is nowhere`)
  }
}

/** A program that has each agent that the run began with, and the version of the newest program. */
function readable(program: Program, run: WitnessedRun, newest: Program): Program {
  const edits = new Set(program)
  if (lacksAgentOf(run, program)) {
    edits.delete('an agent less')
    edits.add('a new agent')
  }
  if (newest.has('a first version')) edits.add('a first version')
  return edits
}
