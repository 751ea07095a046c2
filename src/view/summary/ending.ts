/** How a run ended, or what it does now, in one sentence; and what is to be known beside it. */
import type { Ended, Facts } from './facts.ts'
import type { Phrase, Sentence, SummaryFailure } from './summary.ts'
import { lineOf, nameOf, plural, sentence } from './texts.ts'

/** The sentence about the end of a run; of one that goes on, about what it waits for. */
export function endingOf(facts: Facts): Sentence {
  const { ended, started } = facts
  if (ended === undefined) return goingOn(facts)
  if (ended.forced === true) return forced(ended, facts)
  switch (ended.outcome) {
    case 'completed':
      return completed(facts)
    case 'bailed':
      return sentence(
        `Ended by a bail: the answer is that of ${nameOf(ended.by ?? 'a subagent')}`,
        ...at(facts.bailedAt),
        '.',
      )
    case 'exhausted':
      return exhausted(ended, facts)
    case 'stopped': {
      const by = nameOf(ended.reason ?? 'a function')
      return sentence(
        `Stopped by ${by} of ${nameOf(started?.agent ?? 'the agent')}`,
        ...at(facts.stoppedAt),
        '.',
      )
    }
    case 'tripped':
      return sentence(
        `Refused by a processor: ${lineOf(ended.reason ?? ended.error?.message)}`,
        ...atLast(facts, 'hook'),
        '.',
      )
    case 'failed': {
      const { message, code } = ended.error ?? {
        message: ended.reason ?? 'no reason is on record',
        code: undefined,
      }
      const named = code === undefined ? '' : ` (${nameOf(code)})`
      const cause = code === undefined ? undefined : facts.lastFailures.byCode.get(nameOf(code))
      return sentence(`Failed: ${withoutStop(lineOf(message))}${named}`, ...at(cause), '.')
    }
    case 'cancelled': {
      const { by, reason = lineOf(ended.reason), entry } = facts.cancel ?? {}
      const who = by === undefined ? '' : ` by ${by}`
      return sentence(`Cancelled${who}`, ...at(entry), reason === '' ? '.' : `: ${withoutStop(reason)}.`)
    }
  }
}

function goingOn(facts: Facts): Sentence {
  const { entries, openQuestions, isSuspended, underWay } = facts
  if (entries === 0) return ['Nothing is on record yet.']
  const [question] = openQuestions
  if (isSuspended && question !== undefined) {
    const { subject, agent, askedAt } = question
    const more = openQuestions.length > 1 ? ` and ${openQuestions.length - 1} more` : ''
    const asked = askedAt === undefined ? [] : [', asked at ', { entry: askedAt }]
    return sentence(`Waits for a person: ${subject} of ${agent}`, ...asked, `${more}.`)
  }
  const works = underWay.slice(0, 3).map(({ agent, kind }) => `the ${kind} of ${agent}`)
  const more = underWay.length > 3 ? ` and ${underWay.length - 3} more` : ''
  const waits = works.length === 0 ? '' : `; it waits for ${works.join(', ')}${more}`
  return sentence('Running, at ', { entry: entries }, `${waits}.`)
}

function forced({ forcedBy, reason }: Ended, { entries }: Facts): Sentence {
  const who = forcedBy === undefined ? '' : ` by ${nameOf(forcedBy)}`
  const why = reason === undefined ? '' : `: ${withoutStop(lineOf(reason))}`
  return sentence(`Ended by force${who}, at `, { entry: entries }, `${why}. It could not go on by itself.`)
}

/** Says so where the success stands over failures. */
function completed({ failedDelegations, counts, delegations }: Facts): Sentence {
  const delegationCount = delegations.length
  if (failedDelegations > 0 && failedDelegations + counts.rejection === delegationCount) {
    const names = delegations.slice(0, 5).map(({ to }) => to)
    const more = delegationCount > names.length ? ', …' : ''
    const all = delegationCount === 1 ? 'its one delegation' : `all ${delegationCount} delegations`
    return [
      `Completed over failures: ${all} failed (${names.join(', ')}${more}). The answer rests on none of them.`,
    ]
  }
  const parts = [
    failedDelegations > 0 ? `${failedDelegations} of ${plural(delegationCount, 'delegation')} failed` : '',
    counts.rejection > 0
      ? `${plural(counts.rejection, 'delegation')} ${were(counts.rejection)} rejected`
      : '',
    counts.tool > 0 ? `${plural(counts.tool, 'tool call')} failed` : '',
    counts.denial > 0 ? `${plural(counts.denial, 'call')} ${were(counts.denial)} denied` : '',
  ].filter((part) => part !== '')
  return [parts.length === 0 ? 'Completed.' : `Completed, although ${listed(parts)}.`]
}

function exhausted(ended: Ended, facts: Facts): Sentence {
  const root = facts.started?.agent ?? ''
  const steps = facts.steps.get(root)
  const took = steps === undefined ? '' : ` ${nameOf(root)} took ${plural(steps, 'step')}.`
  switch (ended.reason) {
    case 'budget':
      return outOfBudget(ended, facts)
    case 'maxSteps':
      return [`Out of steps.${took}`]
    case 'maxIterations':
      return [`Out of iterations.${took}`]
    case 'maxReplans':
      return sentence('The plan failed as often as it may be made again', ...atLast(facts, 'step'), '.')
    case 'loop':
      return [`Stopped in a loop: the same calls were made again and again.${took}`]
    case 'length':
      return ['The reply was longer than the model may write.']
    case 'handoffs':
      return ['The conversation was handed on too often.']
    case 'completion': {
      const { entry, scores } = facts.scoring ?? {}
      const told = scores === undefined ? '.' : `: ${withoutStop(scores)}.`
      return sentence('Not complete by its scorers', ...at(entry), told)
    }
    case undefined:
      return ['A limit was reached.']
    default:
      return [`A limit was reached: ${lineOf(ended.reason)}.`]
  }
}

const limits: Readonly<Record<string, (used: string, max: string, currency: string) => string>> = {
  modelCalls: (used, max) => `${used} of ${max} model calls used`,
  tokens: (used, max) => `${used} of ${max} tokens used`,
  cost: (used, max, currency) => `${used} of ${max}${currency} spent`,
  wallClock: (used, max) => `${used} of ${max} milliseconds passed`,
}

/** The error of a refused call names the limit. */
function outOfBudget(ended: Ended, { cutOff, started }: Facts): Sentence {
  const message = ended.error?.message ?? cutOff[0]?.message ?? ''
  const [, limit = '', used = '', max = ''] = /: (\w+) ([\d.e+-]+) of ([\d.e+-]+)\.$/.exec(message) ?? []
  const named = started?.settings.budget?.currency
  const currency = named === undefined ? '' : ` ${nameOf(named)}`
  const words = limits[limit]?.(used, max, currency)
  const told = words === undefined ? `Out of budget` : `Out of budget: ${words}`
  const cut = cutOff
    .slice(0, 5)
    .flatMap(({ agent, entry }, index): Phrase[] => [
      `${index === 0 ? '; ' : ', '}${nameOf(agent)} was cut off at `,
      { entry },
    ])
  return sentence(told, ...cut, '.')
}

/** What is to be known beside the end. */
export function notesOf(facts: Facts): readonly Sentence[] {
  const { warnings, edits, ended, nested, cutAnswers, cutOff, started, finalTurns } = facts
  const notes: Sentence[] = []
  if (ended?.reason !== 'budget') {
    for (const { entry, text } of warnings.slice(0, 5))
      notes.push([`A limit came near: ${text}, at `, { entry }, '.'])
    for (const { agent, entry } of cutOff.slice(0, 5))
      notes.push([`${nameOf(agent)} was cut off by the budget at `, { entry }, '.'])
  }
  if (cutOff.length > 0 && finalTurns > 0)
    notes.push([
      `Beside them ${plural(finalTurns, 'call')} for a last answer, which the budget does not count.`,
    ])
  for (const { agent, entry, text } of cutAnswers.slice(0, 5))
    notes.push([`The answer of ${nameOf(agent)} was cut, at `, { entry }, `: ${text}`])
  const [edit] = edits
  if (edit !== undefined) {
    const others = edits.length > 1 ? ` and ${edits.length - 1} more` : ''
    notes.push([`Agents were edited while it ran: ${edit.text}${others}, at `, { entry: edit.entry }, '.'])
  }
  if (nested > 0) notes.push([`Its tools began ${plural(nested, 'run')} of their own.`])
  if (started?.forkedFrom !== undefined) {
    const { runId, at: entry } = started.forkedFrom
    notes.push([`A fork of the run ${nameOf(runId)}: it shares the entries up to `, { entry }, '.'])
  }
  const unheard = ended?.unheard?.length ?? 0
  if (unheard > 0) notes.push([`No model has read ${plural(unheard, 'message')} that people sent.`])
  const left = ended?.left?.length ?? 0
  if (left > 0)
    notes.push([`${plural(left, 'piece')} of work may go on elsewhere: nothing told them to stop.`])
  return notes
}

function at(entry: number | undefined): Phrase[] {
  return entry === undefined ? [] : [' at ', { entry }]
}

function atLast({ lastFailures }: Facts, kind: SummaryFailure['kind']): Phrase[] {
  return at(lastFailures.byKind.get(kind))
}

function were(count: number): string {
  return count === 1 ? 'was' : 'were'
}

function listed(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}

function withoutStop(text: string): string {
  return text.replace(/\.$/, '')
}
