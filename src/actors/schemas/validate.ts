/** Validates values with the schemas of users. */
import { z } from 'zod'
import { ConfigurationError, TerminalError, toErrorData } from '../../errors.ts'
import { isRecord, type JsonValue } from '../values/json.ts'
import { withoutNulls } from './left-out.ts'
import type { InferOutput, Schema, SchemaIssue, SchemaResult } from './schema.ts'

export type Validation<Output = unknown> =
  | { readonly ok: true; readonly value: Output }
  | {
      readonly ok: false
      readonly problem: string
      /** What the schema has found wrong. */
      readonly issues?: readonly SchemaIssue[]
      /** Set where the schema threw: the schema failed, it did not find the value wrong. */
      readonly failure?: { readonly thrown: unknown }
    }

/**
 * Validates at once, or returns the promise of an asynchronous schema. `failure` marks a schema that threw, or that
 * answered with neither a value nor issues.
 */
export function validate<S extends Schema>(
  schema: S,
  value: unknown,
): Validation<InferOutput<S>> | Promise<Validation<InferOutput<S>>> {
  const read = (result: SchemaResult<InferOutput<S>>) => toValidation(schema, result)
  try {
    const result = run(schema, value)
    return isPromise(result) ? Promise.resolve(result).then(read).catch(toProblem) : read(result)
  } catch (thrown) {
    return toProblem(thrown)
  }
}

/** The validation of what a model has written, with the value as it counts. */
export type WrittenValidation<Output = unknown> = Validation<Output> & { readonly written: JsonValue }

/**
 * As `validate`, for JSON that a model has written: a `null` that the schema does not take counts as left out. Where the
 * field may not be left out either, the problem is that of the `null`.
 */
export function validateWritten<S extends Schema>(
  schema: S,
  value: JsonValue,
): WrittenValidation<InferOutput<S>> | Promise<WrittenValidation<InferOutput<S>>> {
  return afterwards(validate(schema, value), (first) => {
    const written = first.ok || first.issues === undefined ? undefined : withoutNulls(value, first.issues)
    if (written === undefined) return { ...first, written: value }
    return afterwards(validate(schema, written), (second) =>
      second.ok ? { ...second, written } : { ...first, written: value },
    )
  })
}

/** At once where the value is there, so that a chart can read the answer of a synchronous schema. */
function afterwards<Value, Answer>(
  given: Value | Promise<Value>,
  answerTo: (value: Value) => Answer | Promise<Answer>,
): Answer | Promise<Answer> {
  return given instanceof Promise ? given.then((value) => answerTo(value)) : answerTo(given)
}

/** A promise of any library. */
function isPromise<Value>(given: Value | PromiseLike<Value>): given is PromiseLike<Value> {
  return isRecord(given) && typeof given['then'] === 'function'
}

/**
 * The specification's `validate` of zod tries every schema synchronously first; the rejection of an asynchronous check
 * then has no handler and ends the process. Run like this, zod checks once, and answers at once where it can.
 */
function run<Output>(
  schema: Schema<unknown, Output>,
  value: unknown,
): SchemaResult<Output> | Promise<SchemaResult<Output>> {
  if (!(schema instanceof z.core.$ZodType)) return schema['~standard'].validate(value)
  const context = { async: true }
  const toResult = ({ value, issues }: z.core.ParsePayload): SchemaResult<Output> =>
    issues.length === 0
      ? { value: value as Output }
      : { issues: issues.map((issue) => z.core.util.finalizeIssue(issue, context, z.core.config())) }
  const ran = schema._zod.run({ value, issues: [] }, context)
  return ran instanceof Promise ? ran.then(toResult) : toResult(ran)
}

/** The result is read with care: it comes from the code of another library. Throws for one that is none. */
function toValidation<Output>(schema: Schema, result: SchemaResult<Output>): Validation<Output> {
  if (isRecord(result) && Array.isArray(result.issues)) {
    return { ok: false, problem: describeIssues(result.issues), issues: result.issues }
  }
  if (isRecord(result) && result.issues === undefined && 'value' in result) {
    return { ok: true, value: result.value }
  }
  throw new TerminalError(
    `The "${schema['~standard'].vendor}" schema answered with neither a value nor issues: ` +
      `"~standard".validate must return { value } or { issues: [{ message }] }.`,
    { code: 'INVALID_SCHEMA_RESULT' },
  )
}

function toProblem(thrown: unknown): { ok: false; problem: string; failure: { thrown: unknown } } {
  return { ok: false, problem: toErrorData(thrown).message, failure: { thrown } }
}

function describeIssues(issues: readonly SchemaIssue[]): string {
  return issues.length === 0 ? 'the value does not fit' : issues.map(describeIssue).join('; ')
}

function describeIssue(issue: SchemaIssue): string {
  const path = (issue.path ?? [])
    .map((segment) => String(isRecord(segment) ? segment['key'] : segment))
    .join('.')
  return path === '' ? issue.message : `${path}: ${issue.message}`
}

/** The context of a run as a definition sees it. Rejects with a `ConfigurationError` that names the fault. */
export async function contextFor(
  schema: Schema | undefined,
  context: JsonValue | undefined,
  where: string,
): Promise<unknown> {
  if (schema === undefined) return context
  const checked = await validate(schema, context)
  if (checked.ok) return checked.value
  throw new ConfigurationError(
    `${where}: the context of the run does not fit contextSchema: ${checked.problem}`,
  )
}
