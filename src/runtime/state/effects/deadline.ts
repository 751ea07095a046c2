/** The deadline of one effect: the field of its input, and the error with which it settles when the deadline passes. */
import type { EffectInput } from '../../../actors/effects/effect-kinds.ts'
import type { EffectKind } from '../../../actors/effects/effect-names.ts'
import { hookTimeout, timedOut, timeoutCodes } from '../../../actors/timeouts.ts'
import { TerminalError, type ErrorData } from '../../../errors.ts'

interface Asked<Kind extends EffectKind = EffectKind> {
  readonly kind: Kind
  readonly input: EffectInput<Kind>
}

/** An effect with the milliseconds that it may take. */
interface Limited {
  readonly request: Asked
  readonly timeout: number | undefined
}

/** The kinds that may have a deadline. The test kit has a kind of its own, whose input is any value of a user's. */
const limitedKinds: ReadonlySet<string> = new Set<EffectKind>([
  'tool',
  'model',
  'hook',
  'scorer',
  'memory',
  'config',
  'compaction',
  'custom',
])

/** The timeout of an effect in milliseconds; `undefined`: none. */
export function timeoutOf({ kind, input }: Asked): number | undefined {
  return limitedKinds.has(kind) && 'timeout' in input ? input.timeout : undefined
}

export function timeoutError({ request, timeout = 0 }: Limited): ErrorData {
  const asked = request as { [Kind in EffectKind]: Asked<Kind> }[EffectKind]
  const after = `within ${timeout} ms.`
  switch (asked.kind) {
    case 'tool':
      return timedOut(timeoutCodes.tool, `The tool "${asked.input.tool}" did not finish ${after}`)
    case 'model':
      return modelTimeout(asked.input.model, after)
    case 'compaction':
      return asked.input.model === undefined
        ? hookTimeout('compaction.summarize', after)
        : modelTimeout(asked.input.model, after)
    case 'hook':
      return hookTimeout(asked.input.hook, after)
    case 'scorer':
      return hookTimeout(`The scorer "${asked.input.scorer}"`, after)
    case 'custom':
      return hookTimeout(`The effect "${asked.input.name}"`, after)
    case 'memory':
      return hookTimeout(`The memory (${asked.input.operation})`, after)
    default:
      return hookTimeout('The store', after)
  }
}

/** As the timeout of a driver: the next call may be faster. */
function modelTimeout(model: string, after: string): ErrorData {
  return { ...timedOut(timeoutCodes.model, `The model "${model}" was not done ${after}`), retryable: true }
}

/** The timeout as an error to report: nothing was thrown, and its stack does not show the function. */
export function timeoutException(effect: Limited): TerminalError {
  const { name, code, message } = timeoutError(effect)
  return Object.assign(new TerminalError(message, { code }), { name })
}

/** Whether an effect ended with `error` because its deadline passed. */
export function isTimeoutOf({ kind }: { readonly kind: EffectKind }, error: ErrorData | undefined): boolean {
  if (kind === 'compaction') return error?.code === timeoutCodes.model || error?.code === timeoutCodes.other
  return error?.code === (kind === 'tool' || kind === 'model' ? timeoutCodes[kind] : timeoutCodes.other)
}
