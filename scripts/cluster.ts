/** `npm run cluster`: which worker ran which agent, and that the end of one of them changes nothing. */
import { ensureModules } from './build/modules.ts'
import { showAssessment } from '../examples/25-partner-risk/narrate.ts'
import { runCluster } from './cluster/run.ts'

await ensureModules() // the workers load them
const { result, sightings, outcomes } = await runCluster((line) => console.log(line))
const paths = [...new Set(sightings.map(({ path }) => path))]
console.table(
  paths.map((path) => ({
    agent: path,
    workers: [...new Set(sightings.filter((one) => one.path === path).map(({ worker }) => worker))].join(
      ', ',
    ),
    outcome: outcomes.get(path) ?? result.outcome,
  })),
)
showAssessment(result.text)
