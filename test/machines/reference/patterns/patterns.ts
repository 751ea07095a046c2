/** The reference of each pattern, by the id of its machine. */
import type { AgentReference } from '../table.ts'
import { debateReference } from './debate.ts'
import { dispatchReference } from './dispatch.ts'
import { fanOutReference } from './fan-out.ts'
import { loopReference } from './loop.ts'
import { metaRouterReference } from './meta-router.ts'
import { plannerReference } from './plan-then-execute.ts'
import { reflexionReference } from './reflexion.ts'
import { routerReference } from './router.ts'

export const references: Readonly<Record<string, AgentReference>> = {
  react: loopReference,
  supervisor: loopReference,
  reflexion: reflexionReference,
  router: routerReference,
  dispatch: dispatchReference,
  'meta-router': metaRouterReference,
  'plan-then-execute': plannerReference,
  'fan-out': fanOutReference,
  debate: debateReference,
}
