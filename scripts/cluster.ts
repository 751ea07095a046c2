/** `npm run cluster`: which worker ran which subagent, and that the end of one of them changes nothing. */
import { runCluster } from './cluster/run.ts'

const { result, sightings } = await runCluster({ pace: 300, onSight: (line) => console.log(line) })
const agents = [...new Set(sightings.map(({ agent }) => agent))]
console.table(
  agents.map((agent) => ({
    agent,
    workers: [...new Set(sightings.filter((one) => one.agent === agent).map(({ worker }) => worker))].join(
      ', ',
    ),
    outcome: result.delegations.find((one) => one.agent === agent)?.outcome ?? result.outcome,
  })),
)
console.log(result.text)
