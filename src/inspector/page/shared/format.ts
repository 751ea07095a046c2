/** Numbers, times and names as the page shows them. */
import type { Usage } from '../../../index.ts'

const counts = new Intl.NumberFormat('en')

/** `1,204`. */
export function countText(count: number): string {
  return counts.format(count)
}

/** `901`, `12.3 k`, `4.1 M`. */
export function tokensText(tokens: number): string {
  if (tokens < 10_000) return countText(tokens)
  return tokens < 1_000_000 ? `${(tokens / 1000).toFixed(1)} k` : `${(tokens / 1_000_000).toFixed(1)} M`
}

/** The cost is in the currency of the price table of the run, which has no name. */
export function costText(cost: number): string {
  return cost === 0 || cost >= 1 ? cost.toFixed(2) : String(Number(cost.toPrecision(2)))
}

/** `672 ms`, `4.0 s`, `3 m 12 s`, `2 h 04 m`, `2 d 4 h`. */
export function durationText(ms: number): string {
  const s = ms / 1000
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`
  if (s < 60) return `${s.toFixed(1)} s`
  if (s < 3600) return `${Math.floor(s / 60)} m ${Math.floor(s % 60)} s`
  if (s < 86_400) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} m`
  return `${Math.floor(s / 86_400)} d ${Math.floor((s % 86_400) / 3600)} h`
}

/** The time of this place: `21:40:03` today, else `2026-11-23 21:40`. */
export function timeText(at: number, now = Date.now()): string {
  const date = new Date(at)
  const [day, time] = [dayOf(date), [date.getHours(), date.getMinutes(), date.getSeconds()].map(two)]
  return day === dayOf(new Date(now)) ? time.join(':') : `${day} ${time.slice(0, 2).join(':')}`
}

/** `since 21:40:03 (5 m 2 s)`. */
export function sinceText(at: number, now: number): string {
  return `since ${timeText(at, now)} (${durationText(Math.max(0, now - at))})`
}

function dayOf(date: Date): string {
  return [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-')
}

function two(part: number): string {
  return String(part).padStart(2, '0')
}

/** `901 tokens, cost 0.0042`. */
export function usageText({ inputTokens, outputTokens, cost, incomplete }: Usage): string {
  const parts = [
    `${countText(inputTokens)} in`,
    `${countText(outputTokens)} out`,
    ...(cost === undefined ? [] : [`cost ${costText(cost)}`]),
    ...(incomplete === true ? ['not all reported'] : []),
  ]
  return parts.join(' · ')
}

/** The last part of the path of an actor. */
export function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** `1 run`, `2 runs`, `3 entries`. */
export function plural(count: number, word: string): string {
  const words = word.endsWith('y') ? `${word.slice(0, -1)}ies` : `${word}s`
  return `${countText(count)} ${count === 1 ? word : words}`
}

/** A text that is cut at a length; a pair of surrogates stays whole. */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text
  const end = /[\uD800-\uDBFF]$/.test(text.slice(0, length)) ? length - 1 : length
  return text.slice(0, end)
}
