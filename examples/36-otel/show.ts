/** Prints spans as a tree, each below its parent. */
import type { ReadableSpan } from '@opentelemetry/sdk-trace'

export function show(spans: readonly ReadableSpan[]): void {
  const ids = new Set(spans.map((span) => span.spanContext().spanId))
  const isBelow = (span: ReadableSpan, parent: string | undefined): boolean => {
    const id = span.parentSpanContext?.spanId
    return parent === undefined ? id === undefined || !ids.has(id) : id === parent
  }
  const print = (parent: string | undefined, depth: number): void => {
    for (const span of spans) {
      if (!isBelow(span, parent)) continue
      const outcome: unknown = span.attributes['troupe.outcome']
      console.log(`  ${'  '.repeat(depth)}${span.name}${typeof outcome === 'string' ? ` (${outcome})` : ''}`)
      print(span.spanContext().spanId, depth + 1)
    }
  }
  print(undefined, 0)
}
