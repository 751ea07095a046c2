/** Looks whether a journal is as it was appended. */
import { ConfigurationError } from '../index.ts'
import { aText, optional, readOptions, required, type Fields } from '../kit/index.ts'
import {
  aHead,
  Links,
  someKeys,
  type ChainFault,
  type ChainKeys,
  type JournalHead,
  type LinkedEntry,
  type Verification,
  type VerifyOptions,
} from './chain.ts'

const fields: Fields<ChainKeys & VerifyOptions> = {
  current: required(aText),
  keys: required(someKeys),
  head: optional(aHead),
}

/**
 * Looks whether a journal, whole and with its links, is as a `chainedStore` has appended it: of a file that was exported, for example.
 * Rejects with a `ConfigurationError` for a wrong option, and for a journal that does not begin with `run.started`.
 */
export async function verifyJournal(
  journal: readonly LinkedEntry[],
  options: ChainKeys & VerifyOptions,
): Promise<Verification> {
  const { head, ...keys } = readOptions<ChainKeys & VerifyOptions>(options, 'verifyJournal', fields)
  const [started] = journal
  if (started?.type !== 'run.started')
    throw new ConfigurationError(
      'verifyJournal: the journal must be whole: its first entry is "run.started".',
    )
  return verified(new Links(keys), started.runId, journal, head)
}

export async function verified(
  links: Links,
  runId: string,
  journal: readonly LinkedEntry[],
  noted: JournalHead | undefined,
): Promise<Verification> {
  let head: JournalHead | undefined
  const result = (fault?: ChainFault): Verification => ({
    isIntact: fault === undefined,
    ...(fault === undefined ? {} : { fault }),
    ...(head === undefined ? {} : { head }),
  })
  for (const [position, entry] of journal.entries()) {
    const fault = await links.faultOf(runId, position, head?.link ?? '', entry)
    if (fault !== undefined) return result({ entry: position, fault })
    head = { entries: position + 1, link: entry.link ?? '' }
    if (noted?.entries === head.entries && noted.link !== head.link)
      return result({ entry: position, fault: 'other-head' })
  }
  if (noted !== undefined && noted.entries > journal.length)
    return result({ entry: journal.length, fault: 'missing' })
  return result()
}
