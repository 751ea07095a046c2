/**
 * The spans `invoke_agent`. Each covers the work of one agent in one process: it ends when the run is suspended, and a new
 * one, with a link to it, begins when the run goes on. Those of one run are of one trace.
 */
import { SpanKind, trace, type Attributes, type Context, type Link, type Tracer } from '@opentelemetry/api'
import type { AgentEnd, ObservedAgent } from '../runtime/engine/around/observer.ts'
import { answerText, taskText } from './content.ts'
import { failed } from './failure.ts'
import { stopwatch, type Instruments } from './instruments.ts'
import { attribute, operation } from './names.ts'
import { contextOf } from './trace-context.ts'

export interface Telemetry {
  readonly tracer: () => Tracer
  readonly instruments: () => Instruments
  /** Whether spans hold the words of people, models and tools. */
  readonly hasContent: boolean
}

/** The most ended spans that are kept for the links of spans to come. */
const mostEnded = 10_000

export class AgentSpans {
  readonly #telemetry: Telemetry
  /** The contexts of the agents at work, by run and path. */
  readonly #contexts = new Map<string, Context>()
  /** The last spans of agents that wait, by run and path; the oldest first. */
  readonly #waiting = new Map<string, Link>()

  constructor(telemetry: Telemetry) {
    this.#telemetry = telemetry
  }

  /** The context in which an actor of a run works: that of the nearest agent at or above its path. */
  contextAt(runId: string, path: string, traceparent: string | undefined): Context {
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      const found = this.#contexts.get(keyOf(runId, path.slice(0, end)))
      if (found !== undefined) return found
    }
    return contextOf(traceparent)
  }

  begin(agent: ObservedAgent): (end: AgentEnd) => void {
    const { tracer, instruments, hasContent } = this.#telemetry
    const { runId, path, traceparent, task } = agent
    const key = keyOf(runId, path)
    const parent = this.contextAt(runId, path, traceparent)
    const link = this.#waiting.get(key)
    this.#waiting.delete(key)
    const isFirst = link === undefined
    const span = tracer().startSpan(
      `${operation.invokeAgent} ${agent.agent}`,
      {
        kind: SpanKind.INTERNAL,
        attributes: {
          ...attributesOf(agent),
          ...(hasContent && isFirst && task !== undefined
            ? { [attribute.inputMessages]: taskText(task) }
            : {}),
        },
        links: link === undefined ? [] : [link],
      },
      parent,
    )
    const stop = stopwatch(instruments().agentDuration)
    this.#contexts.set(key, trace.setSpan(parent, span))
    return ({ outcome, text, error }) => {
      this.#contexts.delete(key)
      if (outcome === 'suspended') this.#wait(key, { context: span.spanContext() })
      span.setAttribute(attribute.outcome, outcome)
      if (hasContent && text !== undefined) span.setAttribute(attribute.outputMessages, answerText(text))
      const errorType = error !== undefined && outcome === 'failed' ? failed(span, error) : undefined
      stop({
        [attribute.operationName]: operation.invokeAgent,
        [attribute.agentName]: agent.agent,
        [attribute.outcome]: outcome,
        ...(errorType === undefined ? {} : { [attribute.errorType]: errorType }),
      })
      span.end()
    }
  }

  #wait(key: string, link: Link): void {
    this.#waiting.set(key, link)
    if (this.#waiting.size <= mostEnded) return
    const [oldest = key] = this.#waiting.keys()
    this.#waiting.delete(oldest)
  }
}

function keyOf(runId: string, path: string): string {
  return `${runId}\n${path}`
}

function attributesOf({
  agent,
  description,
  version,
  conversationId,
  runId,
  path,
}: ObservedAgent): Attributes {
  return {
    [attribute.operationName]: operation.invokeAgent,
    [attribute.agentName]: agent,
    ...(description === undefined ? {} : { [attribute.agentDescription]: description }),
    ...(version === undefined ? {} : { [attribute.agentVersion]: version }),
    ...(conversationId === undefined ? {} : { [attribute.conversationId]: conversationId }),
    [attribute.runId]: runId,
    [attribute.path]: path,
  }
}
