/** The suites of all our machines. */
import { compactionSuite } from './compaction.ts'
import { completionSuite } from './completion.ts'
import { debateSuite } from './debate.ts'
import { decisionSuite } from './decision.ts'
import { delegationSuite } from './delegation.ts'
import { dispatchSuite } from './dispatch.ts'
import { fanOutSuite } from './fan-out.ts'
import { metaRouterSuite } from './meta-router.ts'
import { planThenExecuteSuite } from './plan-then-execute.ts'
import { programSuite } from './program.ts'
import { reactSuite } from './react.ts'
import { reflexionSuite } from './reflexion.ts'
import { customSuite } from './custom.ts'
import { remoteAgentSuite } from './remote-agent.ts'
import { remoteSuite } from '../remote/suite.ts'
import { routerSuite } from './router.ts'
import { screeningSuite } from '../screening/suite.ts'
import { supervisorSuite } from './supervisor.ts'
import { toolCallSuite } from './tool-call.ts'
import type { Suite } from './suite.ts'

/** By id, in alphabetical order. */
export const allSuites: readonly Pick<Suite, 'machine' | 'golden'>[] = [
  compactionSuite,
  completionSuite,
  debateSuite,
  decisionSuite,
  delegationSuite,
  dispatchSuite,
  fanOutSuite,
  metaRouterSuite,
  planThenExecuteSuite,
  reactSuite,
  reflexionSuite,
  remoteSuite,
  remoteAgentSuite,
  customSuite,
  programSuite,
  routerSuite,
  screeningSuite,
  supervisorSuite,
  toolCallSuite,
]
