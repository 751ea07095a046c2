/** The service of runs that is inspected, and the actions that the page may offer on it. */
import type { RunService, TroupeBlobs } from '../../index.ts'
import type { DryHost } from '../../kit/host.ts'
import type { AnswerName } from './answered-by.ts'
import type { ServiceInfo } from '../wire/routes.ts'

/** A service of runs. One that can do less than a troupe says so. */
export interface InspectedService extends RunService {
  readonly blobs?: Pick<TroupeBlobs, 'get'>
  /** The agents and the store for dry forks. Default: those of the troupe. */
  readonly dryHost?: DryHost
  readonly inspection?: Pick<ServiceInfo, 'engine' | 'unavailable'> & Partial<Pick<ServiceInfo, 'title'>>
}

const onRestate = 'On Restate each agent is a workflow of its own, and runs cannot be forked.'
const endsNoneOnRestate =
  'On Restate no run is ended by force: a worker with the former agents goes on with it.'
const withoutAgents = 'A dry fork needs the agents of the run, and they are not here: start with --agents.'
const isWithheld = 'This inspector withholds parts of runs, and this would contain them.'

interface Facts {
  readonly engine: ServiceInfo['engine']
  readonly title: string
  readonly by: AnswerName | undefined
  /** Parts of runs are withheld, so that nothing is handed out whole. */
  readonly withholds: boolean
  /** Runs are withheld: the numbers would count them. */
  readonly hidesRuns: boolean
  /** The agents are here: a run may be forked dry. */
  readonly forksDry: boolean
}

export async function infoOf(
  service: InspectedService,
  { engine, title, by, withholds, hidesRuns, forksDry }: Facts,
): Promise<ServiceInfo> {
  const { inspection } = service
  const missing = await missingOf()
  return {
    engine,
    title: title === '' ? (inspection?.title ?? '') : title,
    ...(typeof by === 'string' ? { by } : {}),
    unavailable: {
      ...(missing === undefined ? {} : { why: missing, turtle: missing }),
      ...(engine === 'restate' ? { fork: onRestate, end: endsNoneOnRestate } : {}),
      ...(forksDry ? {} : { dry: withoutAgents }),
      ...(service.blobs === undefined ? { blobs: 'The bytes of files are kept elsewhere.' } : {}),
      ...(withholds
        ? {
            recording: isWithheld,
            why: isWithheld,
            turtle: isWithheld,
            blobs: isWithheld,
            fork: isWithheld,
            dry: isWithheld,
          }
        : {}),
      ...(service.stats === undefined ? { stats: 'These runs have no numbers.' } : {}),
      ...(hidesRuns ? { stats: 'This inspector withholds runs, and the numbers would count them.' } : {}),
      ...inspection?.unavailable,
    },
  }
}

/** The reason for which there is no provenance; `undefined`: there is. */
async function missingOf(): Promise<string | undefined> {
  try {
    await import('troupe/provenance')
    return undefined
  } catch {
    return 'It needs the package n3: npm install n3.'
  }
}
