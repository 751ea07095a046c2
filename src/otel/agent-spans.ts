/**
 * The spans `invoke_agent`. Each covers the work of one agent in one process: it ends when the run is suspended, and a new
 * one, with a link to it, begins when the run goes on. Those of one run are of one trace.
 */
import type { AgentEnd, ObservedAgent, ObservedEffect, TraceContext } from '../index.ts'

import { SpanKind, trace, type Attributes, type Context, type Link, type Tracer } from '@opentelemetry/api'
import { answerText, taskText } from './content.ts'
import { failed } from './failure.ts'
import { stopwatch, type Instruments } from './instruments.ts'
import { attribute, operation } from './names.ts'
import { contextOf, traceContextIn } from './trace-context.ts'

export interface Telemetry {
  readonly tracer: () => Tracer
  readonly instruments: () => Instruments
  /** Whether spans hold the words of people, models and tools. */
  readonly hasContent: boolean
}

/** The most ended spans that are kept for the links of spans to come. */
const mostEnded = 10_000

interface Work {
  /** With the span of the agent. */
  readonly context: Context
  /** The calls so far, without those of subagents. */
  readonly calls: { inference: number; tool: number }
}

export class AgentSpans {
  readonly #telemetry: Telemetry
  /** The agents at work, by run and path. */
  readonly #work = new Map<string, Work>()
  /** The last spans of agents that wait, by run and path; the oldest first. */
  readonly #waiting = new Map<string, Link>()

  constructor(telemetry: Telemetry) {
    this.#telemetry = telemetry
  }

  /** The context in which an actor of a run works: that of the nearest agent at or above its path. */
  contextAt(at: ObservedAgent | ObservedEffect): Context {
    return this.#workAt(at.runId, at.path)?.context ?? contextOf(at)
  }

  /** Counts a call of a model or tool by the agent at work. */
  called({ runId, path }: ObservedEffect, kind: keyof Work['calls']): void {
    const work = this.#workAt(runId, path)
    if (work !== undefined) work.calls[kind]++
  }

  /** The trace context of an agent at work. */
  traceparentOf({ runId, path }: ObservedAgent): TraceContext | undefined {
    const work = this.#work.get(keyOf(runId, path))
    return work && traceContextIn(work.context)
  }

  begin(agent: ObservedAgent): (end: AgentEnd) => void {
    const { tracer, instruments, hasContent } = this.#telemetry
    const { runId, path, task } = agent
    const key = keyOf(runId, path)
    const parent = this.contextAt(agent)
    const link = this.#waiting.get(key)
    this.#waiting.delete(key)
    const isFirst = link === undefined
    const span = tracer().startSpan(
      `${operation.invokeAgent} ${agent.agent}`,
      {
        kind: agent.isRemote === true ? SpanKind.CLIENT : SpanKind.INTERNAL,
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
    const { agentDuration, inferenceCalls, toolCalls } = instruments()
    const stop = stopwatch(agentDuration)
    const work: Work = { context: trace.setSpan(parent, span), calls: { inference: 0, tool: 0 } }
    this.#work.set(key, work)
    return ({ outcome, subagentOutcome, text, error }) => {
      this.#work.delete(key)
      if (outcome === 'suspended') this.#wait(key, { context: span.spanContext() })
      span.setAttribute(attribute.outcome, outcome)
      if (subagentOutcome !== undefined) span.setAttribute(attribute.subagentOutcome, subagentOutcome)
      if (hasContent && text !== undefined) span.setAttribute(attribute.outputMessages, answerText(text))
      const errorType =
        error !== undefined && (subagentOutcome ?? outcome) === 'failed' ? failed(span, error) : undefined
      const measured: Attributes = {
        [attribute.operationName]: operation.invokeAgent,
        [attribute.agentName]: agent.agent,
        [attribute.outcome]: outcome,
        ...(errorType === undefined ? {} : { [attribute.errorType]: errorType }),
      }
      stop(measured)
      inferenceCalls.record(work.calls.inference, measured)
      toolCalls.record(work.calls.tool, measured)
      span.end()
    }
  }

  /** The nearest agent at or above a path. */
  #workAt(runId: string, path: string): Work | undefined {
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      const found = this.#work.get(keyOf(runId, path.slice(0, end)))
      if (found !== undefined) return found
    }
    return undefined
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
