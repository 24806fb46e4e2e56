// What docs/style-guide.md rules out, and what stays by name. scripts/prose.ts counts it.
export type Rule = readonly [name: string, pattern: RegExp, say: string]

export const DENIED: readonly Rule[] = [
  ['whoever', /\b(who|what|which|how)ever\b/gi, 'name the subject ("the worker that holds the lease")'],
  ['somebody', /\b(any|every|no|some)body\b/gi, 'name the role ("no member", "another user")'],
  ['anew', /\banew\b/gi, 'again'],
  ['besides', /\bbesides?\b/gi, 'also, in addition to, next to'],
  ['is told', /\b(is|are|was|were|be|been|being) (told|asked)\b/gi, 'receives, is notified, is queried'],
  ['hears of', /\b(hears?|heard) (of|from|about)\b/gi, 'receives, is notified of'],
  ['what became', /\bwhat (became|is known|was known|was asked)\b/gi, 'result, status, cached data, request'],
  ['is no', /\b(is|are) no (?!longer\b|more\b)[a-z]+/gi, '"is not a …", "has no …"'],
  ['there is no', /\bthere (is|are) no (?!longer\b|more\b)/gi, '… not found, no …'],
  ['no such', /\bno such\b/gi, '… not found'],
  ['may not', /\bmay not\b/gi, 'cannot, must not, does not have permission'],
  [
    'letter',
    /(?<!(capital|lower-?case|upper-?case) )\bletters?\b(?!,? (and )?(digits|numbers|spacing))/gi,
    'newsletter, email',
  ],
  ['reader', /\breaders?\b(?! (replica|process))/gi, 'subscriber, recipient; "replica" for databases'],
  ['parcel', /\bparcels?\b/gi, 'shipment, package'],
  ['piece', /\bpieces?\b/gi, 'items, units, quantity'],
  ['shelf', /\b(shelf|shelves)\b/gi, 'category'],
  ['insights', /\binsights?\b/gi, 'reports'],
  ['the books', /\bbooks (don.t |do not )?balance\b/gi, 'consistency check'],
  ['bell', /\bgo-rounds?\b|\bbells?\b|\brests\b/gi, 'poll, wakeup, waits'],
  ['by itself', /\bby (itself|themselves)\b/gi, 'automatically'],
  ['way of', /\bways? of (shipping|paying|signing)\b/gi, 'shipping method, payment method, sign-in method'],
  ['given up for dead', /\bgiven up for dead\b/gi, 'considered dead after the heartbeat timeout'],
  ['twin', /\b(twins?|stand-ins?)\b/gi, 'emulator'],
  ['needs a person', /\bneeds? a person\b/gi, 'needs attention'],
  ['stands here', /\bstands? (here|there)\b/gi, 'appears, is listed'],
  ['once at most', /\bonce at most\b/gi, 'at most once'],
  ['comes in last', /\b(come|came|comes) in(to)? (last|as)\b/gi, 'latest, signs in as'],
  ['what you typed', /\bwhat you (typed|wrote|entered|chose|changed)\b/gi, 'your changes'],
  ['it is being', /\b(it is|they are) being\b/gi, '"Saving…", "Loading…"'],
  ['British spelling', /\b(fulfilment|cancelled|colours?|recognis\w+)\b/gi, 'US spelling'],
]
export const TYPE_NAMES: Rule = [
  'type name',
  /^(Place|Found|Asked|Told|Given|Wanted|Shown|Named|Known|Kept|Seen|Made|Said|Heard|Taken|Held|Gone|Listed|Counted|Work|Way|Turn|Bell|Theirs)$/g,
  'a noun that says what it is (OrderKey, SearchHit)',
]
export const VALUE_NAMES: Rule = [
  'value name',
  /^(found|known|asked|told|given|wanted|shown|kept|said|held|taken|left|seen|gone|made|named)$/g,
  'a noun that says what it is (order, response)',
]

/** Terms that stay, by name, with the reason. They do not count in any text. */
export const ALLOWED: readonly [term: RegExp, reason: string][] = [
  [/`[^`\n]+`/g, 'inline code: identifiers'],
  [/\b[\w.]+\.cancelled\b|\bCANCELLED\b/g, 'event types and statuses of the API'],
  [/\bscreen readers?\b/gi, 'the standard term for the assistive technology'],
  [/\bcard readers?\b/gi, 'the standard term for the device'],
  [/\bletterhead\b/gi, 'a part of a printed document'],
]
export const SKIPPED: readonly [file: RegExp, reason: string][] = [
  [/^scripts\/prose-rules\.ts$|^test\/prose\.test\.ts$|^docs\/style-guide\.md$/, 'list the words'],
  [
    /^docs\/(errors|events|metrics|alerts)\.md$|\/generated\/|\.gen\.ts$|^src\/.*-tables\.ts$/,
    'generated from texts that count',
  ],
  [/^docs\/(proof|bench|dashboard)\/report\.md$/, 'recorded results'],
  [/^packages\/demo\/src\/goods\//, 'descriptions of sample products'],
]
