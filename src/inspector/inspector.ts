/** The inspector: serves a page on this machine that shows the runs of a service. */
import { ConfigurationError, type OnError } from '../index.ts'
import {
  type Fields,
  aBoolean,
  aFunction,
  aName,
  aText,
  defaultsOf,
  either,
  having,
  is,
  optional,
  readOptions,
  reporterOf,
  withDefault,
} from '../kit/index.ts'
import { dryHostOf, ReportedPromise, aPort } from '../kit/host.ts'
import { DryRuns } from './dry/dry-runs.ts'
import { ContentGate, type Sanitize } from './files/content.ts'
import { RunFiles } from './files/run-files.ts'
import { RunList, type InspectedRun } from './files/run-list.ts'
import { answeredBy, type AnswerName } from './server/answered-by.ts'
import { PageServer } from './server/page-server.ts'
import { routesOf } from './server/routes.ts'
import { infoOf, type InspectedService } from './server/service.ts'
import type { ServiceInfo } from './wire/routes.ts'

/** The options of `inspector`. */
export interface InspectorOptions {
  /** The port of the page. Default: 0, any free port. */
  readonly port?: number
  /**
   * The token that requests of the page have: 32 characters or more, of letters, digits, `-` and `_`. With a `port` and a token
   * of its own, a page that is open goes on by itself when the process is started again. Default: random, another at each start.
   */
  readonly token?: string
  /** The name at the head of the page, such as that of the store. Default: none. */
  readonly title?: string
  /**
   * Selects the runs that the page gets to know of. A run is not shown where it throws, answers neither true nor false, or
   * does not answer within a minute. Default: all.
   */
  readonly filter?: (run: InspectedRun) => boolean | Promise<boolean>
  /**
   * Who answers the questions of runs on this page, for the record: a name, or a function of the request. It takes the place
   * of the name in the dialog. Where the function answers `undefined`, that name counts; where it fails, the answer is refused.
   * Default: the name in the dialog.
   */
  readonly by?: AnswerName
  /**
   * The last change to each part of a run before it is sent: its return value is sent. The part is plain data of its own and
   * may be changed. A part is withheld where it throws, returns another type, or does not answer within a minute. With it the page offers no recording, no explanation, no fork and
   * no images, which would contain the parts whole. Default: none.
   */
  readonly sanitize?: Sanitize
  /** Serves the page also where `NODE_ENV` is `production`. Default: `false`. */
  readonly allowInProduction?: boolean
  /** Receives faults of the server, and of `filter` and `sanitize`. Default: a warning on the console. */
  readonly onError?: OnError
}

/** A page that shows runs. */
export interface Inspector extends AsyncDisposable {
  /**
   * The address of the page, with the token of this server in its fragment: open it in a browser of this machine. Rejects
   * with a `TroupeError` of the code `INSPECTOR_FAILED` where the port is taken.
   */
  readonly url: Promise<string>
  /** Ends the page. Runs go on. Never rejects. */
  stop(): Promise<void>
}

const aToken = is('32 characters or more, of letters, digits, "-" and "_"', (given) =>
  typeof given === 'string' ? /^[\w-]{32,}$/.test(given) : false,
)

const fields = {
  port: withDefault(aPort, 0),
  token: optional(aToken),
  title: withDefault(aText, ''),
  filter: optional(aFunction),
  by: optional(either((value) => typeof value === 'function', aFunction, aName)),
  sanitize: optional(aFunction),
  allowInProduction: withDefault(aBoolean, false),
  onError: optional(aFunction),
} satisfies Fields<InspectorOptions>

const aService = having('a troupe', 'runs', 'awaiting', 'journal', 'watch', 'trail', 'charts', 'signal')

/**
 * Milliseconds between two looks at the journal of a run that a page shows: at most while nothing tells that it has grown.
 * On Restate a look asks each of its workflows.
 */
const rhythms = {
  embedded: { least: 100, most: 500 },
  recording: { least: 100, most: 500 },
  restate: { least: 500, most: 5_000 },
} as const

/**
 * Serves a page that shows the runs of a troupe, live and entry by entry, and acts on them. The server answers this machine
 * alone, and the page that it has served; it keeps the process alive until `stop`. Nothing is read from runs while no page
 * shows them. Throws a `ConfigurationError` for a wrong option, and where `NODE_ENV` is `production`.
 */
export function inspector(inspected: InspectedService, given: InspectorOptions = {}): Inspector {
  aService(inspected, 'inspector: the first argument')
  const read = readOptions<InspectorOptions>(given, 'inspector', fields)
  const { port, token, title, filter, by, sanitize, allowInProduction, onError } = {
    ...defaultsOf(fields),
    ...read,
  }
  if (process.env['NODE_ENV'] === 'production' && !allowInProduction) {
    throw new ConfigurationError(
      'inspector: it shows all that runs contain, and is not served where NODE_ENV is production. ' +
        'Pass allowInProduction: true, or --allow-in-production to troupe inspect, if that is what you want.',
    )
  }
  const report = reporterOf(onError)
  const gate = new ContentGate(sanitize, report)
  const host = inspected.dryHost ?? dryHostOf(inspected)
  const dry = host && new DryRuns(host, onError)
  const service = dry?.over(inspected) ?? inspected
  const list = new RunList({ service, gate, filter, report })
  const engine = service.inspection?.engine ?? (service.fork === undefined ? 'restate' : 'embedded')
  const files = new RunFiles({
    service,
    gate,
    dry,
    rhythm: rhythms[engine],
    isRecording: engine === 'recording',
  })
  let known: Promise<ServiceInfo> | undefined
  const info = (): Promise<ServiceInfo> =>
    (known ??= infoOf(service, {
      engine,
      title,
      by,
      withholds: !gate.isOpen,
      hidesRuns: filter !== undefined,
      forksDry: dry !== undefined,
    }))
  const server = new PageServer({
    port,
    token,
    routes: routesOf({ service, files, list, gate, dry, info, answeredBy: answeredBy(by) }),
    report,
  })
  const url = ReportedPromise.of(server.listen(), (error) =>
    report({
      message: 'the page of the inspector is not served',
      code: 'INSPECTOR_NOT_SERVED',
      where: 'observer',
      error,
    }),
  )
  let stopped: Promise<void> | undefined
  const end = async (): Promise<void> => {
    await url.catch(() => undefined) // nothing is served then
    files.close()
    await server.stop()
    await dry?.close()
  }
  const stop = (): Promise<void> => (stopped ??= end())
  return { url, stop, [Symbol.asyncDispose]: stop }
}
