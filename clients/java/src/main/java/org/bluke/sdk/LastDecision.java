package org.bluke.sdk;

import java.time.Duration;

/**
 * What the referee made of a seat's last decision.
 *
 * @param decisionId its number
 * @param measured from handing the turn to the stream to reading the answer
 * @param excusedTime the part of it that was the referee's own lateness and was not charged
 * @param applied the answer that took effect: a cut, a bid or a card's index
 * @param byReferee whether the referee made that answer, after a fault
 * @param excused whether it would have been late, but was not counted so
 */
public record LastDecision(
        long decisionId, Duration measured, Duration excusedTime, int applied, boolean byReferee, boolean excused) {}
