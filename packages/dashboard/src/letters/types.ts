import type { Answer } from '@kontor/sdk'

export type Newsletter = Answer<'getCollection'>
export type Letter = Answer<'getEntry'>
export type Send = Answer<'getSend'>
export type Automation = Answer<'getAutomation'>
export type Trigger = Automation['trigger']
export type Recipient = Answer<'listRecipients'>['items'][number]
export type Results = Answer<'getSendResults'>
export type Preview = Answer<'previewEntry'>
export type Reader = Answer<'listSubscribers'>['items'][number]
export type ReaderImport = Answer<'getSubscriberImport'>
export type Suppression = Answer<'listSuppressions'>['items'][number]

/** It has not ended: an entry has one of these at most. */
export const isLive = ({ status }: Send) => status === 'SCHEDULED' || status === 'RUNNING' || status === 'PAUSED'

/** Somebody may have it. */
export const hasBegun = ({ status, startedAt, total }: Send) => status === 'DONE' || (startedAt !== null && total > 0)

/** Of several sends of a letter the one to speak of: what is under way, else the last that went to everybody. */
export const mainOf = (sends: readonly Send[]): Send | undefined =>
  sends.find(isLive) ?? sends.find(({ remainderOf }) => !remainderOf) ?? sends[0]

/** Of an entry, its newsletter. */
export const newsletterIdOf = ({ owner }: Pick<Letter, 'owner'>) => owner.replace(/^collection:/, '')
