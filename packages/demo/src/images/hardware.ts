import { box, disc, FLOOR, faded, type Motif, oval, ring, shape, stroke, times, turned } from './shapes.ts'

export const rope: Motif = ({ main, dark, light }) => {
  const coil = (y: number, across: number) =>
    [
      oval(400, y, across, 48, dark),
      oval(400, y - 8, across, 46, main),
      times(Math.floor(across / 13), (index) => {
        const angle = (index / Math.floor(across / 13)) * Math.PI
        const x = 400 - Math.cos(angle) * (across - 12)
        const down = y + Math.sin(angle) * 32
        return stroke(`M${x - 8} ${down - 12} L${x + 8} ${down + 10}`, index % 2 ? light : dark, 6)
      }),
    ].join('')
  return [
    coil(590, 230),
    coil(530, 222),
    coil(470, 214),
    coil(410, 206),
    oval(400, 400, 118, 24, dark),
    oval(400, 404, 96, 15, '#00000055'),
    stroke('M560 400 C620 300 560 230 470 220 C420 214 390 250 420 280', dark, 34),
    stroke('M560 396 C616 300 558 234 470 224 C424 218 396 250 420 276', main, 26),
    stroke('M588 340 L566 330 M584 300 L562 304 M560 262 L548 280 M520 236 L514 256 M474 222 L474 244', light, 6),
  ].join('')
}

export const shackle: Motif = ({ main, dark, light }) =>
  [
    stroke('M290 540 L290 360 C290 210 510 210 510 360 L510 540', dark, 64),
    stroke('M290 536 L290 358 C290 214 510 214 510 358 L510 536', main, 50),
    stroke('M276 520 L276 356 C280 260 340 226 400 226', light, 10),
    disc(290, 560, 52, main),
    disc(510, 560, 52, main),
    disc(290, 560, 22, dark),
    box(230, 538, 360, 44, dark, 20),
    box(236, 534, 340, 38, main, 18),
    ring(616, 558, 34, dark, 18),
    faded(0.5, box(300, 540, 200, 8, light, 4)),
  ].join('')

export const hooks: Motif = ({ main, dark, light, wood }) =>
  [
    box(150, 250, 500, 110, wood, 16),
    faded(
      0.22,
      box(160, 262, 480, 8, '#ffffff', 4),
      box(170, 300, 440, 5, '#000000', 3),
      box(230, 330, 380, 4, '#000000', 2),
    ),
    times(3, (index) => {
      const x = 245 + index * 155
      return [
        oval(x, 305, 34, 44, dark),
        oval(x, 302, 32, 42, main),
        disc(x, 278, 6, light),
        stroke(`M${x} 318 L${x} 420 C${x} 490 ${x + 62} 490 ${x + 62} 430`, dark, 28),
        stroke(`M${x} 316 L${x} 418 C${x} 484 ${x + 60} 484 ${x + 60} 428`, main, 21),
        disc(x + 61, 416, 19, main),
        disc(x + 55, 410, 6, light),
      ].join('')
    }),
  ].join('')

export const cleat: Motif = ({ main, dark, light, wood }) =>
  [
    box(170, 560, 460, FLOOR - 560, wood, 10),
    faded(0.2, box(180, 580, 440, 5, '#000000', 2), box(200, 610, 380, 4, '#000000', 2)),
    shape('M300 560 L330 440 L380 440 L370 560 Z', dark),
    shape('M500 560 L470 440 L420 440 L430 560 Z', dark),
    box(280, 540, 110, 26, main, 10),
    box(410, 540, 110, 26, main, 10),
    shape(
      'M150 410 C230 370 320 384 400 384 C480 384 570 370 650 410 C664 424 652 444 632 444 C560 446 480 456 400 456 C320 456 240 446 168 444 C148 444 136 424 150 410 Z',
      main,
    ),
    faded(
      0.5,
      shape(
        'M180 410 C250 388 330 398 400 398 C470 398 550 388 620 410 C540 404 460 412 400 412 C340 412 260 404 180 410 Z',
        light,
      ),
    ),
  ].join('')

export const pulley: Motif = ({ main, dark, light, wood, metal }) =>
  [
    stroke('M300 470 L300 640 M500 470 L500 640', '#d9c7a0', 22),
    stroke('M400 250 L400 160', metal, 20),
    ring(400, 140, 36, metal, 18),
    shape(
      'M400 210 C520 210 560 320 560 420 C560 520 500 600 400 600 C300 600 240 520 240 420 C240 320 280 210 400 210 Z',
      dark,
    ),
    shape(
      'M392 214 C506 214 546 322 546 420 C546 514 490 588 396 588 C304 588 252 514 252 420 C252 322 280 214 392 214 Z',
      wood,
    ),
    disc(400, 430, 104, main),
    ring(400, 430, 96, light, 8),
    disc(400, 430, 44, dark),
    disc(400, 430, 22, metal),
    faded(
      0.25,
      shape('M300 300 C330 250 370 232 400 230 C360 260 320 320 300 420 C290 380 288 330 300 300 Z', '#ffffff'),
    ),
  ].join('')

export const carabiner: Motif = ({ main, dark, light, metal }) =>
  turned(
    18,
    400,
    400,
    stroke(
      'M330 560 C300 480 300 330 340 230 C370 160 470 160 490 240 C520 340 510 470 470 570 C440 630 350 620 330 560 Z',
      dark,
      46,
    ),
    stroke(
      'M330 556 C300 478 300 330 340 232 C370 166 466 166 486 242 C514 340 506 468 466 566 C438 622 350 614 330 556 Z',
      main,
      34,
    ),
    stroke('M484 300 C498 370 494 440 474 510', metal, 26),
    stroke('M318 480 C306 410 314 320 342 250', light, 8),
    box(462, 380, 56, 64, dark, 12),
  )
