/** Errors on spans and metrics. */
import type { ErrorData } from '../index.ts'
import { toErrorData } from '../kit/index.ts'
import { SpanStatusCode, type Span } from '@opentelemetry/api'
import { attribute } from './names.ts'

/** Records the error of an operation on its span. Returns its type: the code of the error. */
export function failed(span: Span, error: ErrorData): string {
  span.setAttribute(attribute.errorType, error.code)
  span.setStatus({ code: SpanStatusCode.ERROR, message: error.message })
  return error.code
}

/** As `failed`, for an error that was thrown; `code`: of an error without one. */
export function threw(span: Span, thrown: unknown, code: string): string {
  return failed(span, toErrorData(thrown, code))
}
