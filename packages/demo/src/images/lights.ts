import { box, disc, FLOOR, faded, type Motif, oval, shape, stroke } from './shapes.ts'

const GLOW = '#ffe9a8'

export const lantern: Motif = ({ main, dark, light, metal }) =>
  [
    stroke('M300 300 C290 130 510 130 500 300', metal, 12),
    shape('M345 250 L455 250 L480 300 L320 300 Z', dark),
    box(375, 215, 50, 40, main, 8),
    box(322, 300, 156, 230, '#fdf6e3', 14),
    faded(0.85, oval(400, 430, 62, 88, GLOW)),
    shape('M400 365 C430 410 436 440 424 468 C416 486 384 486 376 468 C364 440 370 410 400 365 Z', '#f2a93b'),
    shape('M400 412 C414 436 416 452 410 466 C406 474 394 474 390 466 C384 452 386 436 400 412 Z', '#fff3c4'),
    faded(0.6, box(340, 315, 14, 200, '#ffffff', 7)),
    stroke('M322 310 L322 525 M478 310 L478 525', dark, 10),
    box(306, 292, 188, 22, main, 8),
    box(306, 522, 188, 24, dark, 8),
    shape(
      `M290 546 L510 546 L530 ${FLOOR - 20} Q530 ${FLOOR} 510 ${FLOOR} L290 ${FLOOR} Q270 ${FLOOR} 270 ${FLOOR - 20} Z`,
      main,
    ),
    faded(0.35, shape(`M300 556 L330 556 L318 ${FLOOR - 10} L286 ${FLOOR - 10} Z`, light)),
  ].join('')

export const lamp: Motif = ({ main, dark, light, wood }) =>
  [
    faded(0.35, shape('M300 360 L500 360 L590 640 L210 640 Z', GLOW)),
    shape('M320 180 L480 180 L550 370 L250 370 Z', main),
    faded(0.4, shape('M335 190 L372 190 L335 360 L272 360 Z', light)),
    oval(400, 370, 150, 18, dark),
    oval(400, 368, 120, 11, GLOW),
    box(388, 378, 24, 60, '#8c8f8d'),
    shape('M360 440 C300 480 300 570 350 612 L450 612 C500 570 500 480 440 440 Z', wood),
    faded(0.25, shape('M366 452 C326 488 322 560 356 600 L376 600 C350 550 350 490 388 450 Z', '#ffffff')),
    box(330, 608, 140, FLOOR - 608, dark, 12),
  ].join('')

export const pendant: Motif = ({ main, dark, light, ink }) =>
  [
    faded(0.4, shape('M250 430 L550 430 L660 700 L140 700 Z', GLOW)),
    box(396, 60, 8, 170, ink),
    box(372, 222, 56, 46, dark, 10),
    shape('M372 262 L428 262 C520 282 590 350 600 430 L200 430 C210 350 280 282 372 262 Z', main),
    faded(0.35, shape('M362 276 C290 300 244 350 232 416 L276 416 C284 356 320 306 380 274 Z', light)),
    oval(400, 432, 200, 22, dark),
    oval(400, 434, 168, 14, GLOW),
    disc(400, 452, 40, '#fff6d6'),
  ].join('')

export const candle: Motif = ({ main, dark, light, metal }) => {
  const one = (x: number, top: number, body: string, side: string) =>
    [
      box(x - 46, top, 92, 560 - top, body, 14),
      faded(0.35, box(x - 34, top + 14, 18, 520 - top, '#ffffff', 9)),
      oval(x, top + 10, 44, 12, side),
      box(x - 2, top - 22, 4, 30, '#4a4037'),
      shape(
        `M${x} ${top - 92} C${x + 30} ${top - 52} ${x + 26} ${top - 20} ${x} ${top - 18} C${x - 26} ${top - 20} ${x - 30} ${top - 52} ${x} ${top - 92} Z`,
        '#f4b04a',
      ),
      shape(
        `M${x} ${top - 60} C${x + 13} ${top - 40} ${x + 12} ${top - 24} ${x} ${top - 22} C${x - 12} ${top - 24} ${x - 13} ${top - 40} ${x} ${top - 60} Z`,
        '#fff3c4',
      ),
    ].join('')
  return [
    faded(0.4, oval(400, 260, 230, 190, GLOW)),
    one(305, 360, light, main),
    one(495, 400, dark, main),
    one(400, 280, main, dark),
    oval(400, 575, 210, 40, metal),
    oval(400, 566, 210, 34, '#d7dcdd'),
    one(305, 360, light, main).replace(/<ellipse.*$/, ''),
    shape(`M230 590 Q400 660 570 590 L540 ${FLOOR} L260 ${FLOOR} Z`, metal),
  ].join('')
}
