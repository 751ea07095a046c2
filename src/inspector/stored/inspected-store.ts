/** The runs of a store, and recordings, for an inspector of its own process. It takes none of them. */
import type { AnyAgent, Store } from '../../index.ts'
import { storedRuns } from '../../kit/index.ts'
import type { ServiceInfo } from '../wire/routes.ts'
import type { InspectedService } from '../server/service.ts'

export interface InspectedStoreOptions {
  readonly store: Store
  /** Without the agents of a run its entries are shown, and not what they led to. */
  readonly agents: readonly AnyAgent[]
  readonly title: string
  /** Default: that of a store whose runs are worked on elsewhere. */
  readonly inspection?: Pick<ServiceInfo, 'engine' | 'unavailable'>
}

const runsElsewhere = 'This process runs no agents: fork the run in the process of its troupe.'
const withoutAgents = 'The agents are not here, and only they know the questions: start with --agents.'

/** A service of the runs in a store. */
export interface InspectedStore extends InspectedService {
  /** Ends all watches, and closes the store. */
  close(): Promise<void>
}

/** Throws a `ConfigurationError` when two different agents share an id. */
export function inspectedStore({ store, agents, title, inspection }: InspectedStoreOptions): InspectedStore {
  const { blobs, ...runs } = storedRuns({ store, agents })
  return {
    ...runs,
    ...(store.blobs === undefined ? {} : { blobs }),
    ...(agents.length === 0 ? {} : { dryHost: { agents, store } }),
    inspection: {
      engine: 'embedded',
      unavailable: {
        fork: runsElsewhere,
        ...(agents.length === 0 ? { signal: withoutAgents } : {}),
      },
      ...inspection,
      title,
    },
    async close() {
      await runs.close()
      await store.close?.()
    },
  }
}
