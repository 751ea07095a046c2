/** An edge cover of an exploration: paths from the start on which every edge lies, each run on the asynchronous engine. */
import type { ExploredGraph, Step } from '../search/graph.ts'
import { replayDifference } from '../world/replayed.ts'
import type { ControlledRun } from '../world/controlled-run.ts'
import type { Subject } from '../world/subject.ts'
import { AsynchronousRun } from './asynchronous-run.ts'
import type { ExploredPath } from './report.ts'

interface Explored {
  readonly graph: ExploredGraph
  readonly subject: Subject
  readonly keyOf: (run: ControlledRun) => string
}

export function pathsOf({ graph: { places }, subject, keyOf }: Explored): readonly ExploredPath[] {
  const last = places.flatMap(({ next }) => next.filter((step) => !isExtended(step)))
  return last.map((step) => {
    const steps = stepsTo(step)
    return {
      name: steps.map(({ choice }) => choice.label).join(' → '),
      async run() {
        const run = new AsynchronousRun(subject)
        await runPath(run, steps, keyOf)
        const difference = replayDifference(subject, run, await run.journal())
        if (difference !== undefined) throw new Error(difference)
      },
    }
  })
}

/** An edge into a state that is extended, and was first reached by it, lies on the paths beyond that state. */
function isExtended(step: Step): boolean {
  return step.to.reachedBy === step && step.to.next.length > 0
}

function stepsTo(last: Step): readonly Step[] {
  const steps: Step[] = []
  for (let step: Step | undefined = last; step !== undefined; step = step.from.reachedBy) steps.push(step)
  return steps.toReversed()
}

async function runPath(
  run: AsynchronousRun,
  steps: readonly Step[],
  keyOf: Explored['keyOf'],
): Promise<void> {
  await run.settled()
  const taken: string[] = []
  for (const { choice, to } of steps) {
    taken.push(choice.label)
    await run.apply(choice)
    if (keyOf(run) !== to.state) {
      throw new Error(`The run came to another state than the exploration, after: ${taken.join(' → ')}`)
    }
  }
}
